//! Which workers are put aside: those that lose on time, or send what cannot be, too often. A pure rule on their
//! tallies. Start at [`why_aside`].

use crate::record::Tally;

/// Fewer time losses than this are bad luck.
const FEWEST_LOSSES: u64 = 3;

/// A worker may lose this share of its games on time whatever the others do.
const USUAL_SHARE: f64 = 0.02;

/// And this many times the share of all others: an engine that loses on time everywhere is no worker's fault.
const TIMES_THE_OTHERS: f64 = 4.0;

/// So many results that cannot be are no accident.
const MOST_REFUSED: u64 = 3;

/// Why a worker gets no more pairs, if it does not.
pub fn why_aside(own: &Tally, all: &[Tally]) -> Option<String> {
    if own.refused >= MOST_REFUSED {
        return Some(format!("{} of its results could not be", own.refused));
    }
    let (games, losses) =
        all.iter().fold((0, 0), |(games, losses), one| (games + one.games, losses + one.time_losses));
    let (other_games, other_losses) =
        (games.saturating_sub(own.games), losses.saturating_sub(own.time_losses));
    let others = if other_games == 0 { 1.0 } else { other_losses as f64 / other_games as f64 };
    let share = own.time_losses as f64 / own.games.max(1) as f64;
    let too_many = share > USUAL_SHARE.max(TIMES_THE_OTHERS * others);
    (own.time_losses >= FEWEST_LOSSES && too_many).then(|| {
        format!(
            "{} of its {} games were lost on time, {other_losses} of {other_games} elsewhere",
            own.time_losses, own.games
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(own: (u64, u64), others: &[(u64, u64)], aside: bool) {
        let tally = |(games, time_losses): (u64, u64)| Tally { games, time_losses, ..Tally::default() };
        let all: Vec<Tally> = std::iter::once(own).chain(others.iter().copied()).map(tally).collect();
        assert_eq!(why_aside(&all[0], &all).is_some(), aside, "{own:?} among {others:?}");
    }

    #[test]
    fn who_loses_on_time_too_often_is_put_aside() {
        check((10, 3), &[(100, 0)], true);
        check((10, 2), &[(100, 0)], false);
        check((1000, 10), &[(1000, 0)], false);
        check((10, 5), &[(100, 50)], false);
        check((10, 5), &[(100, 5)], true);
        check((10, 10), &[], false);
    }

    #[test]
    fn who_sends_what_cannot_be_is_put_aside() {
        let own = Tally { refused: 3, ..Tally::default() };
        assert_eq!(why_aside(&own, &[own]).as_deref(), Some("3 of its results could not be"));
    }
}
