//! Option `--device`: the devices that it names, and how they are opened.

use crate::exit::CliError;
use crate::named_values::named_values;
use clap::builder::TypedValueParser;
use raywarp::cuda::Device;
pub use raywarp::device::DeviceChoice;

/// Returns the parser of `--device` for commands that use one device.
pub fn parser() -> impl TypedValueParser<Value = DeviceChoice> {
    named_values(["cpu", "cuda", "auto"], |text: &str| match parse(text, "known are cpu, cuda, cuda:N and auto")? {
        DeviceChoice::AllCuda | DeviceChoice::Cuda(_) if text.contains([',', 'l']) => {
            Err("several GPUs are for render and trace; name one, such as cuda:0")
        }
        one => Ok(one),
    })
}

/// Returns the parser of `--device` for commands that can use several GPUs.
pub fn parser_of_several() -> impl TypedValueParser<Value = DeviceChoice> {
    let parse = |text: &str| parse(text, "known are cpu, cuda, cuda:N, cuda:0,1 (a list), cuda:all and auto");
    named_values(["cpu", "cuda", "cuda:all", "auto"], parse)
}

/// Opens the GPUs that the choice names, side by side; none for `auto` or the CPU.
///
/// # Errors
/// The first one's that is not there or fails.
pub fn open(choice: &DeviceChoice) -> Result<Vec<Device>, CliError> {
    choice.open().map_err(|error| missing(choice, error))
}

/// Returns the error for a named GPU that is not there or fails.
pub fn missing(choice: &DeviceChoice, error: impl std::fmt::Display) -> CliError {
    CliError::machine(format!("--device {choice}: {error}; --device cpu does without"))
}

fn parse(text: &str, known: &'static str) -> Result<DeviceChoice, &'static str> {
    match text {
        "cpu" => return Ok(DeviceChoice::Cpu),
        "auto" => return Ok(DeviceChoice::Auto),
        "cuda" => return Ok(DeviceChoice::FirstCuda),
        "cuda:all" => return Ok(DeviceChoice::AllCuda),
        _ => {}
    }
    let list = text.strip_prefix("cuda:").ok_or(known)?;
    let mut ordinals = Vec::new();
    for number in list.split(',') {
        // Digits alone: a sign would be taken, too. And a GPU has one name, without zeros before it.
        let is_plain =
            |number: &&str| number.bytes().all(|b| b.is_ascii_digit()) && (!number.starts_with('0') || *number == "0");
        let digits = Some(number).filter(is_plain);
        let ordinal = digits.and_then(|number| number.parse::<u32>().ok()).ok_or(known)? as usize;
        if ordinals.contains(&ordinal) {
            return Err("a GPU is named twice; name each once");
        }
        ordinals.push(ordinal);
    }
    Ok(DeviceChoice::Cuda(ordinals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_named_by_number_in_any_order_each_once() {
        let list = |ordinals: &[usize]| Ok(DeviceChoice::Cuda(ordinals.to_vec()));
        assert_eq!(parse("cuda", ""), Ok(DeviceChoice::FirstCuda));
        assert_eq!(parse("cuda:0", ""), list(&[0]));
        assert_eq!(parse("cuda:3", ""), list(&[3]));
        assert_eq!(parse("cuda:2,0,11", ""), list(&[2, 0, 11]));
        assert_eq!(parse("cuda:all", ""), Ok(DeviceChoice::AllCuda));
        let wrong = ["cuda:", "cuda:,", "cuda:0,", "cuda:-1", "cuda:+1", "cuda:0;1", "cuda:0, 1", "cuda:4294967296"];
        for wrong in wrong.into_iter().chain(["cuda:00", "cuda:01", "cuda:1,02"]) {
            assert_eq!(parse(wrong, "known"), Err("known"), "{wrong}");
        }
        for twice in ["cuda:0,0", "cuda:1,2,1"] {
            assert!(parse(twice, "").unwrap_err().contains("twice"), "{twice}");
        }
        for text in ["cpu", "cuda", "cuda:0", "cuda:1", "cuda:1,0", "cuda:all", "auto"] {
            assert_eq!(parse(text, "").unwrap().to_string(), text);
        }
    }
}
