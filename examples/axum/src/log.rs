//! The log of a room: a file of entries, one JSON object a line. Each has its number and a hash of itself and the entry before, as
//! the logs of `genui-patch/server` have. Beside it, a file has the last entry that was acknowledged, so that a log that has
//! lost its end is noticed.

use std::fs::{File, OpenOptions, read_dir};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use genui_patch::value::write_string;
use sha2::{Digest, Sha256};

use crate::json;

/// Faults that are listed in an error.
const LISTED: usize = 10;
/// Only the server's own user reads its logs.
const PRIVATE: u32 = 0o600;

/// An entry of a log, as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) text: String,
}

/// The last entry of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Head {
    number: u64,
    hash: String,
}

#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    head_file: File,
    head: Head,
    length: u64,
}

impl Log {
    /// Reads and checks a log. The beginning of an entry at its end, whose writing was cut off, is removed.
    ///
    /// # Errors
    /// What is missing or damaged, by the numbers of entries. Then nothing is changed.
    pub(crate) fn open(folder: &Path, room: &str, take: impl FnMut(Entry)) -> Result<Self, String> {
        let (path, head_path) = paths(folder, room);
        let problem = |error: std::io::Error| format!("{}: {error}", path.display());
        let (head, length) = read(folder, room, take)?;
        let open = |path: &Path| OpenOptions::new().create(true).read(true).append(true).mode(PRIVATE).open(path);
        let file = open(&path).map_err(problem)?;
        if file.metadata().map_err(problem)?.len() > length {
            file.set_len(length).and_then(|()| file.sync_data()).map_err(problem)?;
        }
        let head_file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(PRIVATE)
            .open(&head_path)
            .map_err(problem)?;
        // The names of new files have to survive a crash too.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(problem)?;
        Ok(Self { file, head_file, head, length })
    }

    /// The number of the last entry.
    pub(crate) const fn number(&self) -> u64 {
        self.head.number
    }

    /// Appends entries. When it returns they are on the disk.
    ///
    /// # Errors
    /// They may be there in part: the log has to be opened again.
    pub(crate) fn append(&mut self, texts: &[String]) -> std::io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            return Err(std::io::Error::other("another process has written into the log"));
        }
        let mut lines = String::new();
        let mut head = self.head.clone();
        for text in texts {
            let number = head.number + 1;
            let hash = hash_of(&head.hash, number, text);
            lines.push_str(&format!(
                "{{\"number\":{number},\"previous\":\"{}\",\"hash\":\"{hash}\",\"text\":",
                head.hash
            ));
            write_string(&mut lines, text);
            lines.push_str("}\n");
            head = Head { number, hash };
        }
        self.file.write_all(lines.as_bytes())?;
        self.file.sync_data()?;
        self.head_file.seek(SeekFrom::Start(0))?;
        self.head_file.write_all(format!("{:016} {}\n", head.number, head.hash).as_bytes())?;
        self.head_file.sync_data()?;
        self.length += lines.len() as u64;
        self.head = head;
        Ok(())
    }
}

/// Checks the logs of all rooms.
pub(crate) fn check_folder(folder: &Path) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("DATA_DIR: {}: {error}", folder.display());
    let mut damaged = Vec::new();
    for file in read_dir(folder).map_err(problem)? {
        let name = file.map_err(problem)?.file_name();
        // A room whose log is gone still has its last number.
        if let Some(room) = name.to_str().and_then(|name| name.strip_suffix(".head")) {
            damaged.extend(read(folder, room, drop).err());
        }
    }
    if damaged.is_empty() { Ok(()) } else { Err(damaged.join("\n")) }
}

fn paths(folder: &Path, room: &str) -> (PathBuf, PathBuf) {
    (folder.join(format!("{room}.log")), folder.join(format!("{room}.head")))
}

fn hash_of(previous: &str, number: u64, text: &str) -> String {
    let bytes = Sha256::digest(format!("{previous}\n{number}\n{text}").as_bytes());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a log, and returns its last entry and the length of its entries.
fn read(folder: &Path, room: &str, mut take: impl FnMut(Entry)) -> Result<(Head, u64), String> {
    let (path, head_path) = paths(folder, room);
    let acknowledged = read_head(&head_path).map_err(|error| format!("{}: {error}", head_path.display()))?;
    let mut faults = Faults::default();
    let mut head = Head::default();
    let mut length = 0;
    let mut reader = match File::open(&path) {
        Ok(file) => Some(BufReader::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let mut line = Vec::new();
    while let Some(reader) = &mut reader {
        line.clear();
        let count = reader.read_until(b'\n', &mut line).map_err(|error| format!("{}: {error}", path.display()))?;
        let expected = head.number + 1;
        let is_cut = line.pop_if(|last| *last == b'\n').is_none();
        // An entry that was acknowledged had its end.
        if count == 0 || (is_cut && expected > acknowledged.number) {
            break;
        }
        length += count as u64;
        let (number, previous, hash, text) = std::str::from_utf8(&line).ok().and_then(parts).unwrap_or_default();
        if number > expected {
            faults.add("missing", expected, number - 1);
        }
        // The hash of an entry that cannot be read is not known.
        let is_known = head.number == 0 || !head.hash.is_empty();
        let follows = number != expected || !is_known || previous == head.hash;
        let is_whole = !is_cut && number >= expected && follows && hash == hash_of(&previous, number, &text);
        if !is_whole {
            faults.add("damaged", number.max(expected), number.max(expected));
        }
        // After a fault the chain goes on with the entry that stands there.
        head = Head { number: number.max(expected), hash };
        if faults.0.is_empty() {
            take(Entry { number, text });
        }
    }
    if acknowledged.number > head.number {
        faults.add("missing", head.number + 1, acknowledged.number);
    } else if acknowledged.number == head.number && acknowledged.hash != head.hash && faults.0.is_empty() {
        faults.add("damaged", head.number, head.number);
    }
    if faults.0.is_empty() { Ok((head, length)) } else { Err(faults.in_words(room)) }
}

fn read_head(path: &Path) -> Result<Head, String> {
    let mut text = String::new();
    match File::open(path).and_then(|mut file| file.read_to_string(&mut text)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Head::default()),
        Err(error) => return Err(error.to_string()),
        // The file was made, and nothing was acknowledged yet.
        Ok(0) => return Ok(Head::default()),
        Ok(_) => {}
    }
    let parts = text.trim_end().split_once(' ').and_then(|(number, hash)| Some((number.parse().ok()?, hash)));
    let (number, hash) = parts.ok_or("the number of the last entry cannot be read. Restore a backup.")?;
    Ok(Head { number, hash: hash.to_owned() })
}

/// The number, the hash before, the hash and the text of an entry.
fn parts(line: &str) -> Option<(u64, String, String, String)> {
    let entry = json::read(line)?;
    let text = |key| json::text(&entry, key).map(str::to_owned);
    Some((entry.get("number").and_then(json::as_count)?, text("previous")?, text("hash")?, text("text")?))
}

/// What is wrong, and the first and the last entry of it. Neighbours are joined.
#[derive(Default)]
struct Faults(Vec<(&'static str, u64, u64)>);

impl Faults {
    fn add(&mut self, kind: &'static str, from: u64, to: u64) {
        match self.0.last_mut() {
            Some((last, _, end)) if *last == kind && *end + 1 == from => *end = to,
            _ => self.0.push((kind, from, to)),
        }
    }

    fn in_words(&self, room: &str) -> String {
        let in_words = |(kind, from, to): &(&str, u64, u64)| match to - from {
            0 => format!("entry {from} {kind}"),
            _ => format!("entries {from} to {to} {kind}"),
        };
        let listed: Vec<String> = self.0.iter().take(LISTED).map(in_words).collect();
        let more = if self.0.len() > LISTED { format!("; and {} more", self.0.len() - LISTED) } else { String::new() };
        format!("The log of the room \"{room}\" is not whole: {}{more}. Restore a backup.", listed.join("; "))
    }
}
