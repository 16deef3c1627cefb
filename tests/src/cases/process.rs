//! Cases about processes: an example program of the core is run, and where it wants a server, a scripted one.
use std::{
    io::{BufRead, Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::{
    case::{Step, read_peer},
    pattern::{Captures, Matcher, fill},
    value::Value,
};

/// Where the programs are.
#[derive(Clone)]
pub struct Programs {
    /// The folder of the core's examples.
    pub examples: PathBuf,
    /// A program that runs [`serve`] when it is started with `--peer SCRIPT`.
    pub peer: PathBuf,
}

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(20);

impl Programs {
    /// Runs an example to its end. Among its arguments, `$peer` is the command of a server that follows this script.
    pub fn run(&self, example: &str, args: &[String], script: &Value, input: &str) -> Result<Value, String> {
        let program = self.examples.join(example);
        let mut command = Command::new(&program);
        for arg in args {
            match arg.as_str() {
                "$peer" => command.arg(&self.peer).arg("--peer").arg(script.to_string()),
                plain => command.arg(plain),
            };
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child
            .map_err(|error| format!("{}: {error}; build the core's examples first", program.display()))?;
        let ended = finish(&mut child, input);
        if ended.is_err() {
            // It may have ended meanwhile; then there is nothing to kill.
            let _ = child.kill();
            let _ = child.wait();
        }
        ended
    }
}

/// Gives a process its input and reads both of its outputs to their ends.
fn finish(child: &mut Child, input: &str) -> Result<Value, String> {
    let (done, ended) = mpsc::channel();
    let read = |pipe: Option<Box<dyn Read + Send>>, name: &'static str| {
        let done = done.clone();
        pipe.map(|mut pipe| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let text = pipe.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned());
                // The other end is gone only after the time is up.
                let _ = done.send((name, text));
            })
        })
    };
    read(child.stdout.take().map(|pipe| Box::new(pipe) as _), "stdout");
    read(child.stderr.take().map(|pipe| Box::new(pipe) as _), "stderr");
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(|error| format!("its input: {error}"))?;
    }
    let mut report = Vec::new();
    for _ in ["stdout", "stderr"] {
        let (name, text) = ended
            .recv_timeout(PATIENCE)
            .map_err(|_| format!("the program did not end within {PATIENCE:?}"))?;
        let text = text.map_err(|error| format!("its {name}: {error}"))?;
        report.push((format!("{name}_bytes"), Value::number(text.len())));
        if name == "stdout" {
            let lines = text.lines().map(|line| Value::parse(line).unwrap_or_else(|_| Value::string(line)));
            report.push((name.to_owned(), Value::Array(lines.collect())));
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    report.push(("status".into(), status.code().map_or(Value::Null, Value::number)));
    Ok(Value::Object(report))
}

/// A server on this process's standard streams that follows a script: `on` steps with `tx` and `stderr_bytes`.
pub fn serve(script: &str) -> Result<(), String> {
    let script = Value::parse(script).map_err(|error| error.to_string())?;
    let steps = read_peer(&script).map_err(|skip| skip.0)?;
    let mut captures = Captures::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let message = Value::parse(&line).map_err(|error| error.to_string())?;
        for step in &steps {
            let Step::On { pattern, steps, .. } = step else { return Err("a peer only reacts".into()) };
            let mut matcher = Matcher { captures: &mut captures, modern: false };
            if matcher.message(pattern, &message, &line).is_ok() {
                steps
                    .iter()
                    .try_for_each(|step| answer(step, &captures))
                    .map_err(|error| error.to_string())?;
                break;
            }
        }
    }
    Ok(())
}

fn answer(step: &Step, captures: &Captures) -> std::io::Result<()> {
    match step {
        Step::Tx(message) => {
            let mut stdout = std::io::stdout().lock();
            writeln!(stdout, "{}", fill(message, captures))?;
            stdout.flush()
        }
        Step::Stderr { bytes } => {
            let line = [b'e'; 1023];
            let mut stderr = std::io::stderr().lock();
            for _ in 0..bytes.div_ceil(1024) {
                stderr.write_all(&line)?;
                stderr.write_all(b"\n")?;
            }
            Ok(())
        }
        _ => Err(std::io::Error::other("a peer sends, on either stream, and nothing else")),
    }
}
