//! Drawing lots for groups (I.4): a published algorithm, the same on every platform, and a commitment to
//! its seed that can be made public before the list of entrants is closed. Pure. Start at [`draw`].
//!
//! The algorithm: the names are put in the order of their UTF-8 bytes; that list is shuffled by
//! [`Chance`] under the purpose `lots`; the shuffled names are dealt to the groups in
//! turn, A, B, C, A, B, C ..., and in each group they are numbered as they come: A1, A2, B1 ...

use sha2::{Digest as _, Sha256};

use super::chance::Chance;

/// What the algorithm is called in records; another algorithm gets another name.
pub const ALGORITHM: &str =
    "names in byte order, Fisher-Yates from the end by ChaCha8 (seed, 'lots'), dealt in turn";

/// [`ALGORITHM`] in Chinese.
pub const ALGORITHM_ZH: &str = "名称按字节序排列，自末位起以 ChaCha8（种子，'lots'）洗牌，依次分入各组";

/// The groups as drawn: indices of `names`, in the order of their lot numbers. Sizes differ by at most
/// one, the earlier groups are the larger ones. No groups, or more than there are names, give empty ones.
pub fn draw(seed: u64, names: &[&str], groups: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|index| names.get(*index).map(|name| name.as_bytes()));
    Chance::new(seed, "lots").shuffle(&mut order);
    let mut drawn = vec![Vec::new(); groups];
    for (place, index) in order.into_iter().enumerate() {
        if groups > 0 {
            drawn[place % groups].push(index);
        }
    }
    drawn
}

/// The letter of a group, counted from 0: `A` ... `Z`, then `27` and so on.
pub fn letter(group: usize) -> String {
    match u8::try_from(group) {
        Ok(number) if number < 26 => char::from(b'A' + number).to_string(),
        Ok(_) | Err(_) => (group + 1).to_string(),
    }
}

/// The lot of an entrant, `A1`; `None` if it is in no group.
pub fn code(groups: &[Vec<usize>], entrant: usize) -> Option<String> {
    groups.iter().enumerate().find_map(|(group, members)| {
        let place = members.iter().position(|member| *member == entrant)?;
        Some(format!("{}{}", letter(group), place + 1))
    })
}

/// The commitment to a seed: SHA-256 (lower-case hex) of the text `chuhe lots SEED`, the seed in decimal.
pub fn commitment(seed: u64) -> String {
    Sha256::digest(format!("chuhe lots {seed}")).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_lots_of_a_seed_never_change() {
        let names = ["Dragon", "Angel", "Cannon", "Boat", "Elephant", "Fortress", "General"];
        let drawn = draw(2006, &names, 3);
        assert_eq!(drawn, [vec![3, 2, 6], vec![1, 5], vec![4, 0]]);
        assert_eq!(code(&drawn, 5), Some("B2".to_owned()));
        assert_eq!(code(&drawn, 9), None);
        assert_eq!((letter(25), letter(26)), ("Z".to_owned(), "27".to_owned()));
        let other = commitment(2007);
        assert!(commitment(2006).len() == 64 && commitment(2006) != other);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn everybody_is_drawn_once_and_the_order_of_entry_does_not_matter(
            seed: u64, count in 1usize..40, groups in 1usize..8
        ) {
            let names: Vec<String> = (0..count).map(|number| format!("Engine {number}")).collect();
            let listed: Vec<&str> = names.iter().map(String::as_str).collect();
            let reversed: Vec<&str> = names.iter().rev().map(String::as_str).collect();
            let drawn = draw(seed, &listed, groups);
            let mut all: Vec<usize> = drawn.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
            let sizes: Vec<usize> = drawn.iter().map(Vec::len).collect();
            prop_assert!(sizes.windows(2).all(|two| two[0] == two[1] || two[0] == two[1] + 1));
            prop_assert!(sizes[0] - sizes[groups - 1] <= 1);
            let by_name = |drawn: &[Vec<usize>], list: &[&str]| -> Vec<Vec<String>> {
                drawn.iter().map(|group| group.iter().map(|index| list[*index].to_owned()).collect()).collect()
            };
            let again = draw(seed, &reversed, groups);
            prop_assert_eq!(by_name(&drawn, &listed), by_name(&again, &reversed));
        }
    }
}
