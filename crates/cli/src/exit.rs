//! Exit statuses, and which error ends with which.

use std::process::ExitCode;

/// Text of `--help` about exit statuses.
pub const HELP: &str = "Exit status: 0 done; 1 a check failed; 2 wrong usage; 3 an input cannot be read or is \
    malformed; 4 the machine lacks something; 5 an output cannot be written; 101 a bug of this program; 130 interrupted \
    (Ctrl-C, SIGTERM or SIGHUP), with what was done saved.";

/// Exit status of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The command did everything that was asked for.
    Done = 0,
    /// A check of the command failed.
    Failed = 1,
    /// The command line was wrong.
    Usage = 2,
    /// An input cannot be read or is malformed.
    Input = 3,
    /// The machine lacks something that the command needs, such as memory or a GPU.
    Machine = 4,
    /// An output cannot be written.
    Output = 5,
    /// The program has a bug (it panicked).
    Bug = 101,
    /// Ctrl-C, SIGTERM or SIGHUP ended the command; finished results were saved.
    Interrupted = 130,
}

impl Status {
    /// Returns the status's name in JSON documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Input => "input",
            Self::Machine => "machine",
            Self::Output => "output",
            Self::Bug => "bug",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Reasons why a command stops.
#[derive(Debug)]
pub enum CliError {
    /// An error with its message and exit status.
    Stop(Status, String),
    /// The reader of the standard output (a pipe) has stopped reading.
    ClosedPipe,
}

impl CliError {
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::Stop(Status::Usage, message.to_string())
    }

    pub fn input(message: impl std::fmt::Display) -> Self {
        Self::Stop(Status::Input, message.to_string())
    }

    /// Returns the error for a name that means no scene.
    pub fn find(error: raywarp::scene::FindError) -> Self {
        use raywarp::scene::{FindError, LookedUp};
        match &error {
            FindError::NotFound { name, looked: LookedUp::WithoutFolder, near } => {
                let near = near.as_ref().map_or(String::new(), |near| format!("; did you mean {}?", near.display()));
                let name = name.display();
                Self::input(format!("no file {name}; scenes are found by name in --scenes DIR or RAYWARP_SCENES{near}"))
            }
            _ => Self::input(error),
        }
    }

    /// Returns the error for a scene that cannot be loaded, mostly with the status of a bad input.
    pub fn scene(error: raywarp::scene::ImportError) -> Self {
        match &error {
            raywarp::scene::ImportError::Read { source, .. } if source.kind() == std::io::ErrorKind::OutOfMemory => {
                Self::machine(error)
            }
            _ => Self::input(error),
        }
    }

    /// Returns the error for shares of a picture that cannot be read or merged.
    pub fn share(error: raywarp::render::output::ShareError) -> Self {
        use raywarp::render::output::ShareError;
        match error {
            ShareError::Film { .. } => Self::machine(error),
            ShareError::NotAShare { path, reason } => Self::input(format!(
                "{}: is not a share of a render ({reason}); make one with 'raywarp render --samples A..B -o FILE.exr'",
                path.display()
            )),
            other => Self::input(other),
        }
    }

    /// Returns the error for a picture that cannot be read back.
    pub fn read(error: raywarp::render::output::ReadError) -> Self {
        use raywarp::render::output::ReadError;
        match error {
            ReadError::Share(error) => Self::share(error),
            ReadError::Image(error) => Self::scene(error),
            ReadError::Memory { .. } => Self::machine(error),
            other => Self::input(other),
        }
    }

    pub fn machine(message: impl std::fmt::Display) -> Self {
        Self::Stop(Status::Machine, message.to_string())
    }

    /// Returns the error for an environment variable that names an instruction set which this machine lacks.
    pub fn isa(error: raywarp::cpu::IsaError) -> Self {
        match error {
            raywarp::cpu::IsaError::Missing { .. } => Self::machine(error),
            other => Self::usage(other),
        }
    }

    /// Returns the error for a picture that cannot be written; an unknown extension counts as wrong usage.
    pub fn picture(error: raywarp::render::output::OutputError) -> Self {
        use raywarp::render::output::OutputError;
        match error {
            OutputError::UnknownFormat { .. }
            | OutputError::ShareFormat { .. }
            | OutputError::NotAPng { .. }
            | OutputError::NoAlpha { .. } => Self::usage(error),
            OutputError::File(error) => Self::from(error),
            other => Self::output(other),
        }
    }

    pub fn output(message: impl std::fmt::Display) -> Self {
        Self::Stop(Status::Output, message.to_string())
    }

    /// Returns the error for a scene that was loaded but cannot be prepared for tracing.
    pub fn prepare(scene: impl std::fmt::Display, error: raywarp::PrepareError) -> Self {
        use raywarp::PrepareError;
        use raywarp::device::BackendError;
        match error {
            PrepareError::Backend(BackendError::Build(error)) => Self::usage(error),
            PrepareError::Shading(error) => Self::render(*error),
            error @ (PrepareError::Memory { .. }
            | PrepareError::Backend(BackendError::Cuda(_) | BackendError::OneOfGpus(_))
            | PrepareError::Engine(_)
            | PrepareError::Gpu { .. }) => Self::machine(format!("{scene}: {error}")),
            other => Self::input(format!("{scene}: {other}")),
        }
    }

    /// Returns the error for a render that fails.
    pub fn render(error: raywarp::render::RenderError) -> Self {
        use raywarp::render::RenderError;
        match error {
            RenderError::Option(message) => Self::usage(message),
            RenderError::Film(raywarp::render::film::FilmError::CropOutside { .. }) => {
                Self::usage(format!("--crop: {error}"))
            }
            RenderError::TextureTooDeep { .. } => Self::input(error),
            other => Self::machine(other),
        }
    }

    /// Returns the error for render settings that cannot be used; a camera that does not exist counts as wrong usage.
    pub fn settle(error: raywarp::render::PictureError) -> Self {
        use raywarp::render::PictureError;
        match error {
            PictureError::Camera(raywarp::render::CameraError::Nowhere) => {
                Self::usage("--eye, --target and --up do not give a direction to look in")
            }
            PictureError::Render(error) => Self::render(error),
            other => Self::usage(other),
        }
    }

    /// Returns the error of a render job, in terms of the command's flags.
    pub fn job(error: raywarp::render::JobError) -> Self {
        use raywarp::render::JobError;
        match error {
            JobError::Device { choice, error } => crate::device::missing(&choice, error),
            JobError::SeveralGpus { choice } => Self::usage(format!(
                "--device {choice}: several GPUs only take whole paths; with --organisation rays or --export-rays, and \
                 for layers beside normals and distances, name one"
            )),
            JobError::Kernels(error) => error.downcast().map_or_else(Self::machine, |error| *error),
            JobError::Load { error } => Self::scene(error.error),
            JobError::Prepare { scene, error } => Self::prepare(scene, error),
            JobError::Settle { error, .. } => Self::settle(error),
            JobError::Share(error) => Self::share(error),
            JobError::EarlierSamples { path, samples } => Self::input(format!(
                "{}: holds samples {}..{} of each pixel; --resume goes on with those from 0, raywarp merge adds others",
                path.display(),
                samples.start,
                samples.end
            )),
            JobError::OtherPicture { .. } => Self::input(format!("{error}; give it the same scene and options")),
            JobError::Render { error, .. } => Self::render(error),
            JobError::Write(error) => Self::picture(error),
            JobError::PartOfShare { path } => Self::Stop(
                Status::Interrupted,
                format!("{}: interrupted before the share was whole; nothing was written", path.display()),
            ),
            other => Self::machine(other),
        }
    }

    pub fn status(&self) -> Status {
        match self {
            Self::Stop(status, _) => *status,
            Self::ClosedPipe if crate::interrupt::is_interrupted() => Status::Interrupted,
            Self::ClosedPipe => Status::Done,
        }
    }
}

/// Returns the status of a command whose results were printed: a reader that stopped early does not change it.
pub fn after_printing(printed: Result<(), CliError>, status: Status) -> Result<Status, CliError> {
    match printed {
        Err(CliError::ClosedPipe) if status != Status::Done => Ok(status),
        other => other.map(|()| status),
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stop(_, message) => f.write_str(message),
            Self::ClosedPipe => f.write_str("output closed"),
        }
    }
}

impl std::error::Error for CliError {}

/// Converts the error of a file that cannot be written.
impl From<raywarp::system::FileError> for CliError {
    fn from(error: raywarp::system::FileError) -> Self {
        use raywarp::system::FileError;
        match error {
            FileError::Exists { path } => Self::output(format!(
                "{}: exists already; name another output, or leave out --no-clobber to replace it",
                path.display()
            )),
            other => Self::output(other),
        }
    }
}

/// Converts the error of results that cannot be printed.
impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        // A terminal that closes interrupts, and takes no more lines.
        if error.kind() == std::io::ErrorKind::BrokenPipe || crate::interrupt::is_interrupted() {
            Self::ClosedPipe
        } else {
            Self::output(format!("standard output: {error}"))
        }
    }
}
