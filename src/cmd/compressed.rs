//! Compressed inputs: gzip, bzip2 and Zstandard, known by their first bytes.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The extensions of names of compressed files.
pub(super) const EXTENSIONS: [&str; 3] = [".gz", ".bz2", ".zst"];

/// Opens a file of games, which may be compressed.
///
/// # Errors
/// It cannot be opened, or its first bytes cannot be read.
pub fn open_games(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    decompressed(File::open(path)?)
}

/// The plain text of an input, to the end of its last member or frame.
///
/// # Errors
/// The first bytes cannot be read.
pub(super) fn decompressed(
    mut input: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::new();
    (&mut input).take(4).read_to_end(&mut head)?;
    let input = Cursor::new(head.clone()).chain(input);
    Ok(match *head {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(input)),
        [b'B', b'Z', b'h', b'1'..=b'9'] => Box::new(bzip2::read::MultiBzDecoder::new(input)),
        // A frame, or one that is skipped.
        [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
            Box::new(Zstandard { input: BufReader::new(input), frame: FrameDecoder::new() })
        }
        _ => Box::new(input),
    })
}

/// Frames of Zstandard, one after another.
struct Zstandard<R> {
    input: BufReader<R>,
    frame: FrameDecoder,
}

impl<R: Read> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            let read = if !self.frame.is_finished() {
                let block = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.input, block).map(drop)
            } else if self.input.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.frame.reset(&mut self.input)
            };
            match read {
                Ok(()) => {}
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.input).take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
        self.frame.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(text).and_then(|()| encoder.finish()).expect("compressed")
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(text).and_then(|()| encoder.finish()).expect("compressed")
    }

    fn zstandard(text: &[u8]) -> Vec<u8> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(text, level)
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decompressed(Cursor::new(bytes))?.read_to_end(&mut text).map(|_| text)
    }

    #[test]
    fn each_kind_is_read_to_its_last_member() {
        let first = "1. e4 e5 2. Nf3 *\n".repeat(8_000).into_bytes();
        let second = b"[Event \"second\"]\n\n*\n".to_vec();
        let both = [first.as_slice(), &second].concat();
        for compress in [gzip, bzip2, zstandard] {
            let members = [compress(&first), compress(&second)].concat();
            assert_eq!(read(members).expect("text"), both);
            let half = compress(&first);
            read(half[..half.len() / 2].to_vec()).expect_err("the rest is missing");
        }
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstandard(&second)];
        assert_eq!(read(skipped.concat()).expect("text"), second);
    }

    #[test]
    fn plain_texts_stay_as_they_are() {
        for text in ["", "1", "BZh", "1. e4 *"] {
            assert_eq!(read(text.into()).expect("text"), text.as_bytes());
        }
    }
}
