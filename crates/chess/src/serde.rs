//! Serialisation with `serde`: a board as FEN, a move and a square as UCI text.

use super::{Board, Square, UciMove};
use alloc::borrow::Cow;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Implements both directions by `Display` and `FromStr`.
macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

as_text!(Board, Square, UciMove);
