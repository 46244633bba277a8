//! The titles and contents of the 35 articles, and of the general rule, in our own words. Text only.
//! Start at [`ARTICLES`].

/// The same in English and in Chinese.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Chinese (simplified).
    pub zh: &'static str,
}

/// An article of the Asian rules' section on repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Article {
    /// 1 to 35; 0 is the general rule.
    pub number: u8,
    /// A few words.
    pub title: Text,
    /// What it says, one paragraph.
    pub content: Text,
}

const fn row(
    number: u8,
    title: (&'static str, &'static str),
    content: (&'static str, &'static str),
) -> Article {
    Article {
        number,
        title: Text { en: title.0, zh: title.1 },
        content: Text { en: content.0, zh: content.1 },
    }
}

/// The principle behind all articles, cited when no article describes a loop.
pub static GENERAL_RULE: Article = row(
    0,
    ("General rule", "总则"),
    (
        "Perpetual check and perpetual chase are forbidden; everything else may be repeated. The side that alone \
         does what is forbidden, or does what weighs more, loses; otherwise the game is drawn.",
        "长将、长捉为禁止着法，其余着法允许循环。单方走禁止着法，或所走着法情节更重的一方判负；其他情形判和。",
    ),
);

/// The 35 articles in order.
pub static ARTICLES: [Article; 35] = [
    row(
        1,
        ("Perpetual check", "单方长将"),
        (
            "A side that gives check on every half-move of the loop loses, whatever pieces give the checks, unless the \
             other side does the same. That the other side chases is no excuse.",
            "循环中一方每着都将军，不论用哪些子，而对方并非每着都将，长将方判负；对方即使长捉也不例外。",
        ),
    ),
    row(
        2,
        ("Mutual perpetual check", "双方长将"),
        (
            "When every half-move of both sides gives check, each answering the other, the game is drawn.",
            "双方每着都是应将兼反将，循环不变，判和。",
        ),
    ),
    row(
        3,
        ("Perpetual check against some checks", "长将对间或还将"),
        (
            "One side checks on every half-move and the other answers only some of them with a check of its own: the \
             side that always checks loses.",
            "一方每着将军，另一方只在部分着法中还将，每着将军的一方判负。",
        ),
    ),
    row(
        4,
        ("Perpetual mate threat", "单方长杀"),
        (
            "Threatening mate on every half-move is allowed and drawn, even if the other side can only shuffle its \
             general. If the same half-moves chase one piece, that is judged as a chase.",
            "一方每着都威胁将死对方，属允许着法，判和，对方只能动将也是如此。若各着同时捉同一子，则按捉论。",
        ),
    ),
    row(
        5,
        ("Mutual mate threats", "双方长杀"),
        (
            "Each side parries the other's mate threat and threatens mate itself on every half-move: a draw.",
            "双方每着都在化解对方杀着的同时自己形成杀着，判和。",
        ),
    ),
    row(
        6,
        ("Check and mate threat in turn", "一将一杀"),
        (
            "A side whose half-moves are partly checks and otherwise mate threats does nothing forbidden: a draw.",
            "一方时而将军、时而威胁将死，交替循环，不属禁止，判和。",
        ),
    ),
    row(
        7,
        ("Check and chase in turn", "一将一捉"),
        (
            "Checks and chases mixed are a draw. A half-move that checks is only a check, even if it attacks the \
             chased piece too.",
            "将军与捉子相间，判和。将军的一着只算将，即使同时打着被捉之子也不算捉。",
        ),
    ),
    row(
        8,
        ("Check and idle move in turn", "一将一闲"),
        (
            "Checks mixed with half-moves that chase nothing, be they idle or threats to check and then take, are a \
             draw.",
            "将军与不捉子的着法相间，后者无论是闲着还是要先将后吃，均判和。",
        ),
    ),
    row(
        9,
        ("Cannon chases chariot", "炮长捉车"),
        (
            "One or more cannons that newly attack the same chariot on every half-move lose, whoever owns the screen and \
             whether or not the chariot has a root. The chariot's attacks on various pieces are no excuse; if it chases \
             one and the same piece every time, both sides chase and it is a draw.",
            "炮（一只或几只）每着都重新打着同一只车，炮架属谁、车有根无根都一样，用炮一方判负。车在其间攻击不同的子不能抵消；车若每着也捉同一子，即为双方长捉，判和。",
        ),
    ),
    row(
        10,
        ("Cannon attacks two chariots in turn", "炮分捉两车"),
        (
            "Cannons that attack one chariot and then the other, so that neither is attacked on every half-move, do not \
             chase perpetually: a draw.",
            "炮轮流打两只车，没有一只车每着都被打，不成长捉，判和。",
        ),
    ),
    row(
        11,
        ("Chase broken by a threat to check", "一捉一要抽"),
        (
            "A chase in turn with half-moves that newly attack nothing, but perhaps threaten to check and then take, is a \
             draw: one such half-move breaks the chain.",
            "捉子与不捉子的着法（例如要先将后吃）相间，只要有一着没有新的捉，长捉即告中断，判和。",
        ),
    ),
    row(
        12,
        ("Chariot attacks a rooted cannon", "车捉有根炮"),
        (
            "A chariot may attack a cannon on every half-move if the cannon has a true root on at least one of them: a \
             draw.",
            "车每着攻击炮，而炮至少有一着是有真根的，不算长捉，判和。",
        ),
    ),
    row(
        13,
        ("Chariot chases rootless cannon", "车长捉无根炮"),
        (
            "A chariot that newly attacks the same rootless cannon on every half-move loses, whatever the cannon does \
             meanwhile: mate threats, a check, a chase or attacks on different pieces do not help it out, unless they make \
             a perpetual check or chase of its own.",
            "车每着重新捉同一只无根炮，车方判负。炮在其间作杀、间或将军、间或捉子或分捉他子，都不能抵消，除非自己构成长将或长捉。",
        ),
    ),
    row(
        14,
        ("Chase of a chariot on a horse's leg", "长捉别马腿的车"),
        (
            "A chariot stands on the leg of a horse that would check its general if the chariot left. A side that chases \
             this chariot on every half-move loses, with or without a root, and also if the chariot's side chases in return.",
            "车别住对方马腿，一离开己方将帅便被马将。对这样的车每着都捉的一方判负，马有根无根不论，车方同时长捉也不能抵消。",
        ),
    ),
    row(
        15,
        ("Cannon and horse, or two horses, chase a chariot", "马炮或双马联合捉车"),
        (
            "A horse and a cannon, or two horses, that between them newly attack one chariot on every half-move lose, \
             whether or not the chariot has a root.",
            "马炮或双马配合，每着都有一子重新捉同一只车，车有根无根不论，捉的一方判负。",
        ),
    ),
    row(
        16,
        ("One horse chases a chariot", "一马长捉车"),
        (
            "One horse that newly attacks the same chariot on every half-move loses when the chariot attacks it back only \
             some of the time.",
            "一只马每着重新捉同一只车，而车只有部分着法反捉马，马方判负。",
        ),
    ),
    row(
        17,
        ("Chariot and horse chase each other", "车马互捉"),
        (
            "When a chariot and a horse newly attack each other on every half-move, both sides chase: a draw.",
            "车与马每着都重新互捉，双方同为长捉，判和。",
        ),
    ),
    row(
        18,
        ("Chariot chases rootless horse", "车长捉无根马"),
        (
            "A chariot that newly attacks the same rootless horse on every half-move loses; a counter-attack or a check \
             by the horse now and then does not change it.",
            "车每着重新捉同一只无根马，车方判负；马间或反捉或间或将军，不改变判决。",
        ),
    ),
    row(
        19,
        ("Attack on a piece of the same kind", "同类子相捉"),
        (
            "Attacking a piece of one's own kind that could legally take the attacker is an offer, and drawn. If that \
             piece could not take, being pinned or blocked, and has no root, the attack is a chase and its side loses.",
            "攻击同类的子，而被攻之子能够反吃，算献（兑），判和；若它因牵制或被绊而不能反吃，又无真根，则算捉，长捉方判负。",
        ),
    ),
    row(
        20,
        ("Chase over moving screens", "动架长捉"),
        (
            "Cannon and victim stand still while the moves of both sides make and unmake the single screen between \
             them, so that each half-move of the cannon's side attacks anew: against a rootless horse, elephant, advisor \
             or crossed soldier it loses, against a soldier before the river it is a draw.",
            "炮与被捉之子不动，双方进退炮架，使炮方每着都重新构成攻击：目标为无根的马、象、士或过河兵时，炮方判负；目标为未过河兵卒时判和。",
        ),
    ),
    row(
        21,
        ("Chase of a chariot over moving screens", "动架捉车"),
        (
            "As article 20 with a chariot as the victim, rooted or not: the cannon's side loses. Re-attacking another \
             piece by taking its root away is no excuse for it, nor for the chariot's side.",
            "与前条相同而目标为车，不论有根无根，炮方判负；用去根的办法重新捉他子，不足以抵消。",
        ),
    ),
    row(
        22,
        ("Chariot pinned by a cannon", "被炮牵制的车"),
        (
            "A chariot pinned to a line by a cannon attacks nothing beside that line. Attacking it rootless with a \
             chariot is a chase, since it cannot take back, and so is attacking it with cannon or horse in any case: that \
             side loses. If it has a root on some half-move, a chariot's attack is a draw.",
            "车被炮牵在一条线上，沿线移动不算捉线外之子。对方用车捉它而它无根，因其不能反吃，算捉；用炮、马捉它，一概算捉，捉方判负。对方用车捉而它有一着有根，判和。",
        ),
    ),
    row(
        23,
        ("The general attacks", "将帅攻子"),
        (
            "Attacks by the general on every half-move are allowed, also when another piece joins in on some of them: a \
             draw.",
            "将帅每着攻子，属允许着法；其他子只在部分着法中参与攻击，仍判和。",
        ),
    ),
    row(
        24,
        ("Soldiers attack", "兵卒攻子"),
        (
            "Attacks by soldiers on every half-move are allowed, on one piece or several, also when another piece joins in \
             on some of them: a draw.",
            "兵卒每着攻子，不论一子或数子，属允许着法；其他子只在部分着法中参与，仍判和。",
        ),
    ),
    row(
        25,
        ("General or soldier moves, another piece chases", "动将兵而他子长捉"),
        (
            "The general or a soldier moves each time and thereby lets another piece newly attack the same victim on every \
             half-move: that is a chase, and the side loses.",
            "每着走动将帅或兵卒，使其他子每着都重新捉同一子，算长捉，判负。",
        ),
    ),
    row(
        26,
        ("Chariot chases crossed soldier", "车长捉过河兵"),
        (
            "A chariot that newly attacks the same rootless soldier beyond the river on every half-move loses, whether or \
             not the soldier attacks something itself.",
            "车每着重新捉同一只无根的过河兵卒，车方判负；兵卒是否反攻不论。",
        ),
    ),
    row(
        27,
        ("Several pieces attacked in turn", "分捉多子"),
        (
            "Attacks that fall on two or more pieces in turn, so that none is newly attacked on every half-move, are a \
             draw, whatever pieces attack.",
            "轮流捉两个或更多的子，没有一子每着都被重新捉到，无论用几子去捉，判和。",
        ),
    ),
    row(
        28,
        ("Several pieces chase one", "数子联捉一子"),
        (
            "Two or more pieces that take turns so that one and the same piece is newly attacked on every half-move chase \
             it together: their side loses.",
            "两个或更多的子轮番上阵，使同一子每着都被重新捉到，属联合长捉，判负。",
        ),
    ),
    row(
        29,
        ("False roots", "假根子"),
        (
            "A piece whose guards could none of them legally take back has no root. Chasing it on every half-move loses, \
             also when the attacker's own half-move pins or removes the guard.",
            "保护子虽在而都不能合法回吃，即为假根，等同无根。每着捉这样的子判负；由攻方自己的着法造成牵制或去掉保护的，也一样。",
        ),
    ),
    row(
        30,
        ("Several attackers on a rooted piece", "数子攻有根子"),
        (
            "A piece with a true root may be attacked by any number of pieces: a draw, except for a chariot attacked by \
             cannon or horse.",
            "有真根的子受几个子攻击都不算捉，判和；车被炮或马攻击的除外。",
        ),
    ),
    row(
        31,
        ("Chase with an offer of exchange", "捉而兼兑"),
        (
            "A chase on every half-move remains a chase when some or all of these half-moves also offer an exchange \
             elsewhere: the chasing side loses. Each pair of attacker and victim is looked at by itself.",
            "每着捉同一子，其中部分或全部着法同时又邀兑他子，仍算长捉，判负。攻守双方逐对分别看。",
        ),
    ),
    row(
        32,
        ("Chase while bound on a line", "受牵制一方捉车"),
        (
            "A side whose general and chariot are bound on one line by an enemy chariot and cannon may still not chase \
             that chariot on every half-move with horse or cannon: it loses.",
            "己方将与车在一条线上被对方车炮牵住，仍不得用马或炮每着捉那只车，长捉方判负。",
        ),
    ),
    row(
        33,
        ("Perpetual threat to check and take", "长要抽吃"),
        (
            "Half-moves that attack nothing now and only threaten to win something after a further check may be repeated: a \
             draw.",
            "每着只是要先将后吃，当下并未捉子，允许循环，判和。",
        ),
    ),
    row(
        34,
        ("Perpetual block", "长拦"),
        (
            "Stepping into the way of the opponent's threats on every half-move is allowed: a draw.",
            "每着都以拦挡应付对方的威胁，属允许着法，判和。",
        ),
    ),
    row(
        35,
        ("Perpetual offer or exchange", "长献长兑"),
        (
            "Offering pieces or exchanges on every half-move is allowed: a draw. Attacking a piece of the same kind that \
             cannot take is no offer but a chase.",
            "每着献子或邀兑，属允许着法，判和。攻击不能反吃的同类子不是献兑，而是捉。",
        ),
    ),
];
