//! III: the man-machine match, 11 articles. Data only.

use super::{Article, Hold, holds};

/// Articles III.1 to III.11.
pub const ARTICLES: &[Article] = &[
    Article {
        number: "III.1",
        title: "Programs are the entrants' own work [end of the text restored after I.1]",
        title_zh: "自主产权（原文残缺，据一之1补）",
        held_by: holds::OWN_WORK,
    },
    Article {
        number: "III.2",
        title: "Every team has an operator, or pays the committee for one",
        title_zh: "每队一名操作员，可付费代操作",
        held_by: holds::OPERATOR,
    },
    Article {
        number: "III.3",
        title: "Everybody attends the meeting",
        title_zh: "赛前会议",
        held_by: &[
            Hold::Machine("src/runner/event.rs"),
            Hold::Machine("src/runner/live/chamber.rs"),
            Hold::Record("checked_in"),
            Hold::Person("lists who meets whom", "组委会编排"),
        ],
    },
    Article {
        number: "III.4",
        title: "Two games, each side has the first move once",
        title_zh: "两局制，各先一次",
        held_by: &[Hold::Setting("format.games"), Hold::Machine("src/tournament/boards.rs")],
    },
    Article {
        number: "III.5",
        title: "Forty-five minutes a side for the whole game; more loses",
        title_zh: "每方四十五分钟包干，超时负",
        held_by: holds::CLOCK,
    },
    Article {
        number: "III.6",
        title: "Two points for a win, one for a draw",
        title_zh: "胜二和一负零",
        held_by: holds::POINTS,
    },
    Article { number: "III.7", title: "Asian rules", title_zh: "亚洲棋规", held_by: holds::BOOK },
    Article {
        number: "III.8",
        title: "Programs are not changed or exchanged during play",
        title_zh: "赛中不得修改或更换软件",
        held_by: holds::LOCK,
    },
    Article {
        number: "III.9",
        title: "An operating mistake is corrected only with the chief referee's consent",
        title_zh: "修正操作失误须经裁判长同意",
        held_by: holds::CORRECTION,
    },
    Article {
        number: "III.10",
        title: "The teams keep the game's record and hand it in",
        title_zh: "代表队保存并提交棋谱",
        held_by: holds::RECORDS,
    },
    Article {
        number: "III.11",
        title: "The chief referee's word ends every dispute",
        title_zh: "争议服从裁判长",
        held_by: holds::LAST_WORD,
    },
];
