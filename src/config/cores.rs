//! Processor cores as a config names them: `true`, or numbers and ranges like `0,2-5`. Only the text is read
//! here; whether the machine has such cores the runner finds out. Start at [`read`].

use super::form::AffinityForm;
use super::problem::{Problem, quoted};
use crate::plan::Affinity;

/// Highest number of a core that is believed; Linux has room for as many.
const MOST_CORES: usize = 8192;

/// The cores that games are bound to; `None` leaves it to the system.
pub fn read(form: &AffinityForm) -> Result<Option<Affinity>, Problem> {
    let text = match form {
        AffinityForm::Switch(on) => return Ok(on.then(Affinity::default)),
        AffinityForm::Cores(text) => text,
    };
    let wrong = |why: String| {
        Problem::new("affinity", why).hint("write numbers and ranges of cores, `0,2-5`, or `true` for all")
    };
    let mut cores = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|core| *core < MOST_CORES);
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            return Err(wrong(format!("'{}' is no core and no range of cores", quoted(part))));
        };
        if first > last {
            return Err(wrong(format!("the range '{}' runs backwards", quoted(part))));
        }
        for core in first..=last {
            if cores.contains(&core) {
                return Err(wrong(format!("core {core} is named twice")));
            }
            cores.push(core);
        }
    }
    Ok(Some(Affinity { cores }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let read = |text: &str| {
            let form = AffinityForm::Cores(text.to_owned());
            read(&form).map(|found| found.unwrap().cores).map_err(|problem| problem.message)
        };
        assert_eq!(read("0"), Ok(vec![0]));
        assert_eq!(read("0, 2-4,1"), Ok(vec![0, 2, 3, 4, 1]));
        for (text, why) in [
            ("", "no core"),
            ("x", "'x' is no core"),
            ("3-1", "runs backwards"),
            ("1,0-2", "core 1 is named twice"),
            ("9999", "no core"),
            ("-1", "no core"),
        ] {
            assert!(read(text).is_err_and(|message| message.contains(why)), "{text}");
        }
        assert_eq!(super::read(&AffinityForm::Switch(false)).unwrap(), None);
    }
}
