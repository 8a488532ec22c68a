//! Schemas of values that are strings or arrays in the responses.

use crate::tablebase;
use saavedra::analysis::Judgement;
use saavedra::chess::{Color, GameResult, GameStatus, PieceKind};
use saavedra::formats::result_text;
use saavedra::tablebase::WdlScore;
use serde_json::Value;
use utoipa::openapi::schema::{
    ArrayBuilder, ArrayItems, Object, ObjectBuilder, Schema, SchemaType, Type,
};

fn names<T: ToString>(names: impl IntoIterator<Item = T>) -> Object {
    let names = names.into_iter().map(|name| name.to_string());
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build()
}

/// The name of a side.
pub(crate) fn color() -> Object {
    names(Color::ALL.map(Color::name))
}

/// The state of a game.
pub(crate) fn status() -> Object {
    use GameStatus::{Checkmate, FiftyMoves, InsufficientMaterial, Ongoing, Stalemate, Threefold};
    let all = [Ongoing, Checkmate, Stalemate, InsufficientMaterial, FiftyMoves, Threefold];
    names(all.map(GameStatus::name))
}

/// The letter of the piece that a pawn is promoted to.
pub(crate) fn promotion() -> Object {
    use PieceKind::{Bishop, Knight, Queen, Rook};
    names([Queen, Rook, Bishop, Knight].map(PieceKind::letter))
}

/// A judgement of a move.
pub(crate) fn judgement() -> Object {
    use Judgement::{Best, Blunder, Good, Inaccuracy, Mistake};
    names([Best, Good, Inaccuracy, Mistake, Blunder].map(Judgement::name))
}

/// The probabilities of win, draw and loss.
pub(crate) fn wdl() -> Schema {
    let thousandths = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .maximum(Some(1000))
        .build();
    ArrayBuilder::new()
        .prefix_items([thousandths.clone(), thousandths.clone(), thousandths])
        .items(ArrayItems::False)
        .min_items(Some(3))
        .max_items(Some(3))
        .description(Some("Win, draw and loss for the side to move, in thousandths."))
        .into()
}

/// The outcome of a move by the tablebases.
pub(crate) fn move_outcome() -> Object {
    names(WdlScore::ALL.map(tablebase::name))
}

/// The outcome of a position by the tablebases, or null.
pub(crate) fn outcome() -> Object {
    let names = WdlScore::ALL.map(|wdl| Value::from(tablebase::name(wdl)));
    let nullable = SchemaType::from_iter([Type::String, Type::Null]);
    let builder = ObjectBuilder::new().schema_type(nullable);
    builder.enum_values(Some(names.into_iter().chain([Value::Null]))).build()
}

/// The result of a game.
pub(crate) fn result() -> Object {
    use GameResult::{BlackWins, Draw, WhiteWins};
    names([Some(WhiteWins), Some(BlackWins), Some(Draw), None].map(result_text))
}

/// Pairs of names and values.
pub(crate) fn tags() -> Schema {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    let pair = ArrayBuilder::new()
        .prefix_items([text.clone(), text])
        .items(ArrayItems::False)
        .min_items(Some(2))
        .max_items(Some(2));
    ArrayBuilder::new().items(pair).into()
}
