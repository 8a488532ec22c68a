//! The English words of statements. A translation replaces this file and nothing else.

use super::super::material::{Material, PAWN_VALUE};
use super::super::motif::MotifName;
use super::statement::{Course, Deed, Outcome, Rating, SeenMotif, Statement};
use crate::chess::{Color, GameStatus, PieceKind, Square};
use crate::search::score::Score;

/// The form of a verb.
#[derive(Clone, Copy)]
enum Form {
    /// "wins"
    Third,
    /// "win"
    Infinitive,
}

impl Form {
    fn of(self, third: &'static str, infinitive: &'static str) -> &'static str {
        match self {
            Form::Third => third,
            Form::Infinitive => infinitive,
        }
    }
}

/// One sentence.
pub(super) fn sentence(statement: &Statement) -> String {
    match statement {
        Statement::Over(reason) => format!("The game is over: {reason}."),
        Statement::Standing(score) => match score.mate() {
            Some(_) => format!("{}.", capitalised(&standing(*score))),
            None => format!("{} ({score}).", capitalised(&standing(*score))),
        },
        Statement::Move { text, deeds, rating } => rated(text, deeds, rating),
        Statement::GoesOn(course) => {
            let words = outcome(&course.outcome, Form::Third).unwrap_or_default();
            format!("{} {words}: {}.", side(course.outcome.side), course.line)
        }
        Statement::MainLine(course) => format!("The main line is {}.", course.line),
        Statement::Answer(course) => match outcome(&course.outcome, Form::Third) {
            Some(words) if course.outcome.is_gain() => {
                format!("Then {} {words}: {}.", side(course.outcome.side), course.line)
            }
            _ => format!("After {} {}.", course.line, standing(white_view(&course.outcome))),
        },
        Statement::Motif(motif) => self::motif(motif),
        Statement::Fortress(holder, Material { gained, lost, .. }) => {
            let ahead = match lost[..] {
                [] => format!("is {} ahead", several(gained)),
                _ => format!("has {} for {}", several(gained), several(lost)),
            };
            let (holder, other) = (side(*holder), side(!*holder));
            format!("{holder} holds a fortress: it is a draw although {other} {ahead}.")
        }
        Statement::AnswerTo(text, course) => {
            let words = outcome(&course.outcome, Form::Third).unwrap_or_default();
            format!("After {text} {} {words}: {}.", side(course.outcome.side), course.line)
        }
        Statement::Threatens(course) => match outcome(&course.outcome, Form::Infinitive) {
            Some(words) => format!("It threatens to {words}: {}.", course.line),
            None => format!("It threatens {}.", course.line),
        },
        Statement::Threat(course) => {
            let side = side(course.outcome.side);
            match outcome(&course.outcome, Form::Infinitive) {
                Some(words) => format!("{side} threatens to {words}: {}.", course.line),
                None => format!("{side} threatens {}.", course.line),
            }
        }
        Statement::Better { text, deeds, course } => better(text, deeds, course),
        Statement::Compared { moves: [first, second], scores: [a, b], is_equal } => {
            if *is_equal {
                format!("{first} and {second} are about equally good ({a} and {b}).")
            } else {
                format!("{first} is better than {second} ({a} instead of {b}).")
            }
        }
    }
}

/// A side.
fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn white_view(outcome: &Outcome) -> Score {
    outcome.score.white_view(outcome.side)
}

/// How a position stands; the score is from White's view.
fn standing(score: Score) -> String {
    const LEVEL: i32 = 30;
    const SLIGHT: i32 = 75;
    const CLEAR: i32 = 150;
    let side = side(if score >= Score::DRAW { Color::White } else { Color::Black });
    match score.centipawns().map(i32::abs) {
        None => match score.mate().unwrap_or(0).abs() {
            0 => "the game is over".into(),
            moves => format!("{side} mates in {moves}"),
        },
        Some(0..LEVEL) => "the game is level".into(),
        Some(LEVEL..SLIGHT) => format!("{side} is slightly better"),
        Some(SLIGHT..CLEAR) => format!("{side} is clearly better"),
        Some(_) => format!("{side} is winning"),
    }
}

/// What a move does and how good it is.
fn rated(text: &str, deeds: &[Deed], rating: &Rating) -> String {
    let done = list(&deeds.iter().map(deed).collect::<Vec<_>>());
    let does = if done.is_empty() { String::new() } else { format!(" {done}") };
    let colon = if done.is_empty() { String::new() } else { format!(": it {done}") };
    match rating {
        Rating::Unrated => format!("{text}{does}."),
        Rating::Proposed if deeds.is_empty() => format!("The best move is {text}."),
        Rating::Proposed => format!("The best move is {text}, which{does}."),
        Rating::Best => format!("{text} is the best move{colon}."),
        Rating::Only => format!("{text} is the only legal move{colon}."),
        Rating::Good(best) if deeds.is_empty() => format!("{text} is about as good as {best}."),
        Rating::Good(best) => format!("{text}{does}; it is about as good as {best}."),
        Rating::Bad(judgement, best, score) => {
            let article = if judgement.name().starts_with('i') { "an" } else { "a" };
            let verdict = format!("{article} {} ({score} instead of {best})", judgement.name());
            match deeds {
                [] => format!("{text} is {verdict}."),
                [Deed::Ends(_)] => format!("{text}{does}: {verdict}."),
                _ => format!("{text}{does}, but it is {verdict}."),
            }
        }
    }
}

/// A better move.
fn better(text: &str, deeds: &[Deed], course: &Course) -> String {
    let deeds = list(&deeds.iter().map(deed).collect::<Vec<_>>());
    let which = if deeds.is_empty() { String::new() } else { format!(", which {deeds}") };
    // A mate on the board needs no line.
    if course.outcome.score.mate() == Some(1) {
        return format!("Better is {text}{which}.");
    }
    let score = white_view(&course.outcome);
    let then = match outcome(&course.outcome, Form::Third) {
        Some(words) if course.outcome.is_gain() => {
            format!("{} {words}", side(course.outcome.side))
        }
        _ => format!("{} ({score})", standing(score)),
    };
    format!("Better is {text}{which}; {then}: {}.", course.line)
}

/// What a move does, after "it".
fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Ends(GameStatus::InsufficientMaterial) => "leaves insufficient material".into(),
        Deed::Ends(GameStatus::FiftyMoves) => "draws by the fifty-move rule".into(),
        Deed::Ends(status) => format!("is {}", status.text()),
        Deed::Takes(kind, square) => format!("takes the {kind} on {square}"),
        Deed::Trades(material) => traded(material, Form::Third),
        Deed::TakesCentre => "takes space in the centre".into(),
        Deed::Promotes(kind) => format!("promotes to a {kind}"),
        Deed::Castles => "brings the king to safety".into(),
        Deed::GivesCheck => "gives check".into(),
        Deed::Develops(kind) => format!("develops the {kind}"),
        Deed::Attacks(kind, square) => format!("attacks the {kind} on {square}"),
        Deed::Defends(kind, square) => format!("defends the {kind} on {square}"),
        Deed::Saves(kind) => format!("moves the {kind} to safety"),
        Deed::Gets(MotifName::PassedPawn, square) => format!("creates a passed pawn on {square}"),
        Deed::Gets(MotifName::Outpost, square) => format!("occupies the outpost {square}"),
        Deed::Gets(MotifName::OpenFile, square) => {
            format!("occupies the open {}-file", square.file().char())
        }
        Deed::Gets(..) => "gets the bishop pair".into(),
        Deed::Advances => "advances the passed pawn".into(),
        Deed::ActivatesKing => "brings the king into play".into(),
        Deed::Behind(owner, square) => {
            let whose = owner.map_or_else(|| "the".into(), |owner| format!("{}'s", side(owner)));
            format!("puts the rook behind {whose} passed pawn on {square}")
        }
        Deed::Leaves(color, MotifName::DoubledPawn, squares) => {
            let files = squares.iter().map(|square| format!("{}-pawns", square.file().char()));
            format!("leaves {} with doubled {}", side(*color), list(&files.collect::<Vec<_>>()))
        }
        Deed::Leaves(color, _, squares) => {
            let pawns = if squares.len() == 1 { "an isolated pawn" } else { "isolated pawns" };
            let squares: Vec<String> = squares.iter().map(|square| square.to_string()).collect();
            format!("leaves {} with {pawns} on {}", side(*color), list(&squares))
        }
    }
}

/// What the other side gets by its answer to a move.
pub(super) fn allowed(answer: &Outcome, motif: Option<MotifName>) -> String {
    let words = match motif {
        Some(MotifName::PerpetualCheck) => "draws by perpetual check".to_owned(),
        Some(MotifName::StalemateTrick) => "is saved by stalemate".to_owned(),
        _ => outcome(answer, Form::Third).unwrap_or_else(|| "checkmates".to_owned()) + &by(motif),
    };
    format!("{} {words}", side(answer.side))
}

/// What a side could have got by its best line.
pub(super) fn missed(best: &Outcome, motif: Option<MotifName>) -> String {
    let words = outcome(best, Form::Infinitive).unwrap_or_default();
    format!("{} could {words}{}", side(best.side), by(motif))
}

/// The motif by which something is won.
fn by(name: Option<MotifName>) -> String {
    let Some(name) = name else { return String::new() };
    if let Some(mate) = named_mate(name) {
        return format!(" by {mate}");
    }
    let words = match name {
        MotifName::BackRankMate => " on the back rank",
        MotifName::DoubleCheck => " by a double check",
        MotifName::DiscoveredCheck => " by a discovered check",
        MotifName::DiscoveredAttack => " by a discovered attack",
        MotifName::Fork => " by a fork",
        MotifName::Skewer => " by a skewer",
        MotifName::Pin => " by a pin",
        MotifName::RemovedDefender => " by taking a defender",
        MotifName::Deflection => " by a deflection",
        MotifName::InBetweenMove => " by an in-between move",
        MotifName::TrappedPiece => " by trapping a piece",
        MotifName::OverloadedDefender => " by overloading a defender",
        MotifName::Zugzwang => " by zugzwang",
        _ => "",
    };
    words.to_owned()
}

/// A mate that has a name.
fn named_mate(name: MotifName) -> Option<&'static str> {
    Some(match name {
        MotifName::SmotheredMate => "a smothered mate",
        MotifName::Anastasia => "Anastasia's mate",
        MotifName::Arabian => "an Arabian mate",
        MotifName::Boden => "Boden's mate",
        MotifName::Opera => "an opera mate",
        MotifName::Legal => "Légal's mate",
        MotifName::Epaulette => "an epaulette mate",
        MotifName::SwallowsTail => "a swallow's tail mate",
        MotifName::Dovetail => "a dovetail mate",
        MotifName::Damiano => "Damiano's mate",
        MotifName::Lolli => "Lolli's mate",
        MotifName::Hook => "a hook mate",
        MotifName::Morphy => "Morphy's mate",
        _ => return None,
    })
}

/// The effect of a line for the side that starts it: `mate in 3`, `wins a knight for a pawn`; empty
/// if it has none.
pub(super) fn effect(outcome: &Outcome) -> String {
    match outcome.score.mate() {
        Some(0) if outcome.is_mated => "checkmate".into(),
        Some(moves @ 1..) => format!("mate in {moves}"),
        Some(moves @ ..0) => format!("mated in {}", -moves),
        _ => self::outcome(outcome, Form::Third).unwrap_or_default(),
    }
}

/// What the side that starts a line gets, as a verb with its objects.
fn outcome(outcome: &Outcome, form: Form) -> Option<String> {
    match outcome.score.mate() {
        Some(moves @ 1..) => return Some(format!("{} in {moves}", form.of("mates", "mate"))),
        Some(0) => return None,
        Some(moves) => return Some(format!("{} mated in {}", form.of("is", "be"), -moves)),
        None => {}
    }
    let material = outcome.material.as_ref()?;
    let Material { gained, lost, promoted, .. } = material;
    let lose = form.of("gives up", "give up");
    let win =
        if outcome.is_regained { form.of("wins back", "win back") } else { form.of("wins", "win") };
    let has_new =
        |own: usize, pieces: &[PieceKind]| promoted[own].filter(|kind| pieces.contains(kind));
    if let Some(kind) = has_new(0, gained) {
        // The pawn became the new piece; if it is not among the lost ones, a taken pawn makes up for it.
        let (mut rest, given) = (without(gained, kind), without(lost, PieceKind::Pawn));
        if !lost.contains(&PieceKind::Pawn) {
            rest.push(PieceKind::Pawn);
        }
        let promotes = format!("{} a pawn to a {kind}", form.of("promotes", "promote"));
        return Some(match (rest.is_empty(), given.is_empty()) {
            (true, true) => promotes,
            (false, true) => format!("{promotes} and {win} {}", several(&rest)),
            (true, false) => format!("{promotes} and {lose} {}", several(&given)),
            (false, false) => {
                format!("{promotes} and {win} {} for {}", several(&rest), several(&given))
            }
        });
    }
    if has_new(1, lost).is_some() && lost.len() == 1 && gained == &[PieceKind::Pawn] {
        return Some(format!("{} a pawn promote", form.of("lets", "let")));
    }
    Some(match material.value() {
        PAWN_VALUE.. if lost.is_empty() => format!("{win} {}", several(gained)),
        PAWN_VALUE.. => format!("{win} {} for {}", several(gained), several(lost)),
        value if value > -PAWN_VALUE => {
            if material.traded.is_empty() && gained.is_empty() {
                return None;
            }
            traded(material, form)
        }
        _ if gained.is_empty() => format!("{} {}", form.of("loses", "lose"), several(lost)),
        _ => format!("{lose} {} for {}", several(lost), several(gained)),
    })
}

/// The pieces but one of this kind.
fn without(pieces: &[PieceKind], kind: PieceKind) -> Vec<PieceKind> {
    let mut rest = pieces.to_vec();
    if let Some(at) = rest.iter().position(|other| *other == kind) {
        rest.remove(at);
    }
    rest
}

/// An exchange of equal value.
fn traded(material: &Material, form: Form) -> String {
    let trade = form.of("trades", "trade");
    if material.gained.is_empty() {
        format!("{trade} {}", plurals(&material.traded))
    } else {
        format!("{trade} {} for {}", several(&material.lost), several(&material.gained))
    }
}

/// What a motif does.
fn motif(motif: &SeenMotif) -> String {
    let text = &motif.text;
    let place = |index: usize| motif.squares.get(index).copied().unwrap_or((Square::A1, None));
    let the = |index: usize| match place(index) {
        (_, Some(PieceKind::King)) => "the king".to_owned(),
        (square, Some(kind)) => format!("the {kind} on {square}"),
        (square, None) => square.to_string(),
    };
    let targets = |from: usize| list(&(from..motif.squares.len()).map(the).collect::<Vec<_>>());
    match motif.name {
        MotifName::BackRankMate => "It is a back-rank mate.".into(),
        MotifName::DoubleCheck => format!("{text} is a double check."),
        MotifName::DiscoveredCheck => format!("{text} is a discovered check."),
        MotifName::DiscoveredAttack => {
            format!("{text} opens an attack by {} on {}.", the(0), the(1))
        }
        // A king that is not in check is threatened with mate; it is the first target.
        MotifName::Fork if !motif.is_check && place(1).1 == Some(PieceKind::King) => {
            format!("{text} threatens mate and attacks {} at once: a fork.", targets(2))
        }
        MotifName::Fork => format!("{text} attacks {} at once: a fork.", targets(1)),
        MotifName::Skewer => format!("{text} skewers {} and {} behind it.", the(1), the(2)),
        MotifName::Pin => format!("{} is pinned to {}.", capitalised(&the(1)), the(2)),
        MotifName::TrappedPiece => format!("After {text} {} is trapped.", the(1)),
        MotifName::RemovedDefender => format!("{text} takes the defender of {}.", the(2)),
        MotifName::OverloadedDefender => format!(
            "{} is overloaded: it cannot guard both {} and {}.",
            capitalised(&the(1)),
            place(0).0,
            place(2).0
        ),
        MotifName::Deflection => format!("{text} draws {} away from {}.", the(1), place(2).0),
        MotifName::InBetweenMove => {
            format!("{text} comes in between, before the recapture on {}.", place(1).0)
        }
        MotifName::HangingPiece => format!("{} has no defender.", capitalised(&the(1))),
        MotifName::Zugzwang => format!("After {text} {} is in zugzwang.", side(!motif.side)),
        MotifName::Underpromotion => format!("{text} is an underpromotion."),
        MotifName::Promotion => format!("The pawn promotes with {text}."),
        MotifName::StalemateTrick => format!("{} is saved by stalemate.", side(motif.side)),
        MotifName::PerpetualCheck => format!("{} draws by perpetual check.", side(motif.side)),
        name => match named_mate(name) {
            Some(mate) => format!("It is {mate}."),
            None => format!("{text}: {}.", name.token().replace('-', " ")),
        },
    }
}

/// Lasting features of one kind, after the side that has them.
pub(super) fn lasting(name: MotifName, squares: &[Square]) -> String {
    let on = |one: &str| {
        let plural = if squares.len() == 1 { "" } else { "s" };
        let squares: Vec<String> = squares.iter().map(Square::to_string).collect();
        format!("{one}{plural} on {}", list(&squares))
    };
    // Two rooks share an open file.
    let files = |noun: &str| {
        let mut files: Vec<String> =
            squares.iter().map(|square| format!("{}-{noun}", square.file().char())).collect();
        files.dedup();
        list(&files)
    };
    match name {
        MotifName::PassedPawn => on("passed pawn"),
        MotifName::IsolatedPawn => on("isolated pawn"),
        MotifName::DoubledPawn => format!("doubled {}", files("pawns")),
        MotifName::BackwardPawn => on("backward pawn"),
        MotifName::Outpost => on("outpost"),
        MotifName::OpenFile => format!("open {}", files("file")),
        MotifName::BishopPair => "bishop pair".into(),
        MotifName::BadBishop => on("bad bishop"),
        MotifName::WrongBishop => on("wrong bishop"),
        MotifName::WeakKing => on("weak king"),
        MotifName::OppositeBishops => "bishops of opposite colours".into(),
        name => name.token().replace('-', " "),
    }
}

/// "a rook"; the queen is "the queen".
fn one(kind: PieceKind) -> String {
    match kind {
        PieceKind::Queen => "the queen".into(),
        kind => format!("a {kind}"),
    }
}

const NUMBERS: [&str; 9] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/// "a rook and two pawns"; the kinds are sorted.
fn several(kinds: &[PieceKind]) -> String {
    let groups = kinds.chunk_by(|a, b| a == b);
    let words: Vec<String> = groups
        .map(|group| match group.len() {
            1 => one(group[0]),
            count => format!("{} {}s", NUMBERS.get(count).unwrap_or(&"many"), group[0]),
        })
        .collect();
    list(&words)
}

/// "queens and rooks"; the kinds are sorted.
fn plurals(kinds: &[PieceKind]) -> String {
    let groups = kinds.chunk_by(|a, b| a == b);
    list(&groups.map(|group| format!("{}s", group[0])).collect::<Vec<_>>())
}

/// "a, b and c"
fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
