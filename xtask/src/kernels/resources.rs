//! Reads what each kernel takes of a multiprocessor, as the assembler reports it (`-Xptxas -v`).

/// Resources that a kernel takes of a multiprocessor, from the assembler's report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    pub kernel: String,
    /// Number of registers per thread.
    pub registers: u32,
    /// Bytes that a thread writes to and reads from local memory for lack of registers, summed over the instructions.
    pub spill_stores: u32,
    pub spill_loads: u32,
    /// Bytes of local memory per thread: its stack and spilled registers.
    pub local: u32,
    /// Bytes of shared memory per block.
    pub shared: u32,
}

/// Parses what NVIDIA's assembler prints (`-Xptxas -v`): the registers, spills and bytes of memory of each kernel.
///
/// # Errors
/// A number that is none, or a kernel without registers.
pub fn parse(report: &str) -> Result<Vec<Resources>, String> {
    let mut kernels: Vec<Resources> = Vec::new();
    // Functions that are called have lines of their own, which count for their kernels already.
    let mut of_kernel = false;
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_string();
            kernels.push(Resources { kernel, ..Resources::default() });
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            of_kernel = kernels.last().is_some_and(|kernel| kernel.kernel == name.trim());
        } else if let Some(kernel) = kernels.last_mut() {
            if line.contains("bytes stack frame") && of_kernel {
                kernel.spill_stores = before(line, " bytes spill stores")?.unwrap_or(0);
                kernel.spill_loads = before(line, " bytes spill loads")?.unwrap_or(0);
                kernel.local = before(line, " bytes stack frame")?.unwrap_or(0);
            } else if line.contains(" registers") {
                kernel.registers = before(line, " registers")?.unwrap_or(0);
                kernel.shared = before(line, " bytes smem")?.unwrap_or(0);
                kernel.local = kernel.local.max(before(line, " bytes cumulative stack size")?.unwrap_or(0));
            }
        }
    }
    if let Some(kernel) = kernels.iter().find(|kernel| kernel.registers == 0) {
        return Err(format!("the assembler names no registers of {}", kernel.kernel));
    }
    kernels.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    Ok(kernels)
}

/// Returns the number that stands before some words in a text.
fn before(line: &str, words: &str) -> Result<Option<u32>, String> {
    let Some((text, _)) = line.split_once(words) else { return Ok(None) };
    let number = text.split_whitespace().last().unwrap_or_default();
    number.parse().map(Some).map_err(|_| format!("the assembler reports {line:?}, with no number before {words:?}"))
}

/// Parses a table of resources as [`table`] writes it.
///
/// # Errors
/// A line that is none.
pub fn read(table: &str) -> Result<Vec<(Resources, u32)>, String> {
    let row = |line: &str| {
        let (kernel, numbers) = line.split_once(',')?;
        let numbers: Vec<u32> = numbers.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        let &[architecture, registers, spill_stores, spill_loads, local, shared] = &numbers[..] else { return None };
        let kernel = kernel.to_string();
        Some((Resources { kernel, registers, spill_stores, spill_loads, local, shared }, architecture))
    };
    let rows = table.lines().skip(1);
    rows.map(|line| row(line).ok_or_else(|| format!("{line:?} is no line of what kernels take"))).collect()
}

/// Returns the table of resources, sorted: a line for each kernel and architecture.
pub fn table(mut rows: Vec<(Resources, u32)>) -> String {
    rows.sort_by(|a, b| (&a.0.kernel, a.1).cmp(&(&b.0.kernel, b.1)));
    let mut text = String::from("kernel,architecture,registers,spill_stores,spill_loads,local_bytes,shared_bytes\n");
    for (r, architecture) in rows {
        text += &format!(
            "{},{architecture},{},{},{},{},{}\n",
            r.kernel, r.registers, r.spill_stores, r.spill_loads, r.local, r.shared
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'b' for 'sm_90'\n\
        ptxas info    : Function properties for b\n\
        \x20   528 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 0 barriers, 528 bytes cumulative stack size, 2048 bytes smem\n\
        ptxas info    : Function properties for helper\n\
        \x20   96 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n\
        ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
        ptxas info    : Function properties for a\n\
        \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 32 registers, used 0 barriers\n";

    #[test]
    fn a_report_becomes_a_sorted_table() {
        let rows = parse(REPORT).unwrap().into_iter().map(|row| (row, 90)).collect();
        let lines: Vec<String> = table(rows).lines().skip(1).map(str::to_string).collect();
        assert_eq!(lines, ["a,90,32,0,0,0,0", "b,90,40,4,8,528,2048"]);
        let whole = format!("kernel\n{}\n", lines.join("\n"));
        assert_eq!(table(read(&whole).unwrap()).lines().skip(1).collect::<Vec<_>>(), lines);
        assert!(read(&whole.replace("2048", "much")).is_err() && read("kernel\na,90,32\n").is_err());
    }

    #[test]
    fn a_report_that_lacks_a_number_is_an_error() {
        assert!(parse(&REPORT.replace("40 registers", "many registers")).is_err());
        assert!(parse("ptxas info    : Compiling entry function 'b' for 'sm_90'\n").is_err());
    }
}
