//! IV: the net players' meeting, 12 articles. Data only.

use super::{Article, Hold, holds};

/// Articles IV.1 to IV.12.
pub const ARTICLES: &[Article] = &[
    Article {
        number: "IV.1",
        title: "Programs are the entrants' own work; the chief referee may look at the source",
        title_zh: "自主产权，争议时裁判长可查源码",
        held_by: holds::OWN_WORK,
    },
    Article {
        number: "IV.2",
        title: "The team has an operator, or pays the committee for one",
        title_zh: "代表队一名操作员，可付费代操作",
        held_by: holds::OPERATOR,
    },
    Article {
        number: "IV.3",
        title: "Everybody attends the meeting",
        title_zh: "赛前会议",
        held_by: &[
            Hold::Machine("src/runner/event.rs"),
            Hold::Record("checked_in"),
            Hold::Person("lists who meets whom", "组委会编排"),
        ],
    },
    Article {
        number: "IV.4",
        title: "Two games, each side first once; members of a group move in turn and have the final say",
        title_zh: "两局制，组员轮流落子并有最终决定权",
        held_by: &[
            Hold::Setting("format.games"),
            Hold::Setting("entrants.team"),
            Hold::Setting("rotation"),
            Hold::Machine("src/tournament/boards.rs"),
            Hold::Machine("src/table/team.rs"),
            Hold::Machine("src/runner/live/chamber.rs"),
            Hold::Record("moved: member"),
        ],
    },
    Article {
        number: "IV.5",
        title: "Quiet discussion",
        title_zh: "讨论控制音量",
        held_by: &[Hold::Person("keeps order in the hall", "现场维持")],
    },
    Article {
        number: "IV.6",
        title: "Fifty minutes a side for the whole game; more loses",
        title_zh: "每方五十分钟包干，超时负",
        held_by: holds::CLOCK,
    },
    Article {
        number: "IV.7",
        title: "Two points for a win, one for a draw",
        title_zh: "胜二和一负零",
        held_by: holds::POINTS,
    },
    Article { number: "IV.8", title: "Asian rules", title_zh: "亚洲棋规", held_by: holds::BOOK },
    Article {
        number: "IV.9",
        title: "Programs are not changed or exchanged during play, every member's",
        title_zh: "赛中不得修改或更换软件",
        held_by: holds::LOCK,
    },
    Article {
        number: "IV.10",
        title: "An operating mistake is corrected only with the chief referee's consent",
        title_zh: "修正操作失误须经裁判长同意",
        held_by: holds::CORRECTION,
    },
    Article {
        number: "IV.11",
        title: "The team keeps the game's record and hands it in",
        title_zh: "代表队保存并提交棋谱",
        held_by: holds::RECORDS,
    },
    Article {
        number: "IV.12",
        title: "The chief referee's word ends every dispute",
        title_zh: "争议服从裁判长",
        held_by: holds::LAST_WORD,
    },
];
