//! Pictures of the page: what is seen.

use std::collections::HashMap;

/// A decoded PNG.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue of each pixel, row by row.
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Decodes a PNG in base64.
    pub fn from_base64(text: &str) -> Picture {
        let bytes = decode_base64(text);
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut buffer = vec![0; reader.output_buffer_size().expect("a small picture")];
        let info = reader.next_frame(&mut buffer).expect("a frame");
        let step = info.color_type.samples();
        let pixels = buffer[..info.buffer_size()].chunks(step);
        Picture {
            width: info.width as usize,
            height: info.height as usize,
            pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// The pixel in the middle.
    pub fn middle(&self) -> [u8; 3] {
        self.pixel(self.width / 2, self.height / 2)
    }

    /// The most frequent colour.
    pub fn main_colour(&self) -> [u8; 3] {
        let mut counts = HashMap::new();
        for pixel in &self.pixels {
            *counts.entry(*pixel).or_insert(0) += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.expect("pixels").0
    }

    /// The share of the pixels that satisfy a condition.
    pub fn share(&self, condition: impl Fn([u8; 3]) -> bool) -> f64 {
        let count = self.pixels.iter().filter(|pixel| condition(**pixel)).count();
        count as f64 / self.pixels.len() as f64
    }

    /// Left, top, right and bottom of the pixels that satisfy a condition, inclusive.
    pub fn bounds(&self, condition: impl Fn([u8; 3]) -> bool) -> Option<[usize; 4]> {
        let mut bounds: Option<[usize; 4]> = None;
        for y in 0..self.height {
            for x in 0..self.width {
                if condition(self.pixel(x, y)) {
                    let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
                    bounds = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
                }
            }
        }
        bounds
    }
}

/// Whether two colours differ by at most this much in each part.
pub fn is_near(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

/// Decodes base64.
pub fn decode_base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in text.chars().filter_map(|c| DIGITS.find(c)) {
        bits = (bits << 6) | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
