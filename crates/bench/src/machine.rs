//! Facts of the machine that a run ran on.

use crate::Target;
use raywarp_cpu::Isa;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Clock rates of a GPU's multiprocessors in MHz, as the driver's tool (nvidia-smi) prints them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clocks {
    /// Clock rate in MHz when the tool was asked.
    pub mhz: f64,
    /// Highest clock rate in MHz that the GPU allows.
    pub most_mhz: f64,
}

impl Clocks {
    /// Reads the clock rates of the first GPU now; `None` where the driver's tool is missing.
    pub(crate) fn read() -> Option<Self> {
        Self::parse(&ask_tool(CLOCKS)?)
    }

    /// Parses a text such as `1980 MHz, 2100 MHz`.
    fn parse(text: &str) -> Option<Self> {
        let (now, most) = text.split_once(',')?;
        let number = |text: &str| {
            let number = text.trim().strip_suffix("MHz")?.trim().parse::<f64>().ok()?;
            (number.is_finite() && number > 0.0).then_some(number)
        };
        Some(Self { mhz: number(now)?, most_mhz: number(most)? })
    }
}

/// Fields to ask the driver's tool for: present and highest clock rate.
const CLOCKS: &str = "clocks.sm,clocks.max.sm";

/// Facts about the machine, its driver and the time of a run, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineFacts {
    /// Date and time of day, UTC: `2026-11-21 18:04:05`.
    pub date: String,
    /// Name of the GPU, if one is measured.
    pub gpu: Option<String>,
    /// Compute capability of the GPU.
    pub capability: Option<(i32, i32)>,
    /// Number of the GPU's multiprocessors.
    pub multiprocessors: Option<u32>,
    /// Version of the GPU's driver.
    pub driver: Option<String>,
    /// Clock rates of the GPU's multiprocessors, present and highest, as the driver's tool prints them.
    pub clocks: Option<String>,
    /// Name of the CPU.
    pub cpu: String,
    /// Instruction set of the CPU that [`CpuTracer`](raywarp_cpu::CpuTracer) uses.
    pub isa: &'static str,
    /// Number of threads of the run.
    pub threads: usize,
    /// Version of Raywarp.
    pub version: &'static str,
    /// Commit that the program was built from; `None` where its builder did not say. [`MachineFacts::read`] does not
    /// know it.
    pub commit: Option<String>,
}

impl MachineFacts {
    /// Collects the facts from the system, for a run on this target.
    pub fn read(target: &Target) -> Self {
        let mut facts = Self {
            date: date(),
            cpu: Self::cpu_name(),
            isa: Isa::preferred().name(),
            threads: rayon::current_num_threads(),
            version: env!("CARGO_PKG_VERSION"),
            ..Self::default()
        };
        if let Target::Cuda(device) = target {
            facts.gpu = Some(device.name().to_string());
            facts.capability = Some(device.capability());
            facts.multiprocessors = device.multiprocessors().ok();
            facts.driver = driver();
            facts.clocks = ask_tool(CLOCKS);
        }
        facts
    }

    /// Returns the name of the CPU, as Linux tells it.
    pub(crate) fn cpu_name() -> String {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        cpu_name_of(&info).unwrap_or_else(|| format!("a CPU ({})", std::env::consts::ARCH))
    }

    /// Returns the facts as one line of text.
    pub fn line(&self) -> String {
        let cpu = format!("{} with {} threads, {}", self.cpu, self.threads, self.isa);
        let Some(gpu) = &self.gpu else { return cpu };
        let mut text = gpu.clone();
        if let Some(count) = self.multiprocessors {
            text += &format!(", {count} multiprocessors");
        }
        for (name, value) in [("driver", &self.driver), ("clocks now and at most", &self.clocks)] {
            if let Some(value) = value {
                text += &format!(", {name} {value}");
            }
        }
        format!("{text}; {cpu}")
    }

    /// Returns the facts as JSON, for programs.
    pub fn json(&self) -> Value {
        json!({
            "date": self.date,
            "gpu": self.gpu,
            "capability": self.capability.map(|(major, minor)| format!("{major}.{minor}")),
            "multiprocessors": self.multiprocessors,
            "driver": self.driver,
            "clocks": self.clocks,
            "cpu": self.cpu,
            "isa": self.isa,
            "threads": self.threads,
            "raywarp": self.version,
            "commit": self.commit,
        })
    }
}

fn cpu_name_of(info: &str) -> Option<String> {
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string()).filter(|name| !name.is_empty())
}

/// Returns the driver's version, from the Linux kernel module, else from the driver's tool.
fn driver() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    driver_of(&text).or_else(|| ask_tool("driver_version"))
}

fn driver_of(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.split('.').count() >= 2 && word.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_string)
}

/// Returns the answer of the driver's tool (nvidia-smi) about the first GPU; `None` where the tool is missing.
fn ask_tool(query: &str) -> Option<String> {
    let output =
        Command::new("nvidia-smi").args([&format!("--query-gpu={query}"), "--format=csv,noheader"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of(seconds)
}

/// Converts seconds since 1970 to a date and time.
fn date_of(seconds: u64) -> String {
    // Howard Hinnant's civil_from_days: years begin in March, so that leap days come last.
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let day = days % 146_097;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}-{month:02}-{of_month:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_know_leap_years() {
        assert_eq!(date_of(0), "1970-01-01 00:00:00");
        assert_eq!(date_of(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date_of(951_868_799), "2000-02-29 23:59:59");
        assert_eq!(date_of(1_795_284_245), "2026-11-21 18:04:05");
    }

    #[test]
    fn clocks_are_read_as_the_tool_prints_them() {
        assert_eq!(Clocks::parse("1980 MHz, 2100 MHz"), Some(Clocks { mhz: 1980.0, most_mhz: 2100.0 }));
        for text in ["", "1980 MHz", "[N/A], [N/A]", "1980, 2100", "0 MHz, 5 MHz", "NaN MHz, 5 MHz"] {
            assert_eq!(Clocks::parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_come_from_what_the_system_says() {
        let info = "processor : 0\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(cpu_name_of(info).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(cpu_name_of("processor: 0"), None);
        let module = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159  Release Build\nGCC 13\n";
        assert_eq!(driver_of(module).as_deref(), Some("580.159"));
        assert_eq!(driver_of(""), None);
    }

    #[test]
    fn a_cpu_has_a_line_without_a_gpu() {
        let facts = MachineFacts::read(&Target::Cpu);
        assert!(facts.line().ends_with(&format!("threads, {}", Isa::preferred())) && facts.gpu.is_none());
        let facts = MachineFacts {
            gpu: Some("GPU X".into()),
            driver: Some("1.2".into()),
            cpu: "CPU Y".into(),
            isa: "avx2",
            threads: 4,
            ..Default::default()
        };
        assert_eq!(facts.line(), "GPU X, driver 1.2; CPU Y with 4 threads, avx2");
    }
}
