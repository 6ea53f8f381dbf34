//! A naive store: documents are cloned, and everything is recomputed after each step.

use genui_patch::edit::Document;
use genui_patch::limits::Limits;
use genui_patch::patch::{self, Call, Catalog, Code, OnError, Rules, RunOptions, Target, Values, Work};
use genui_patch::value::{Value, parse};

/// xorshift64*, the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % bound
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A pending call on top of the confirmed document.
struct Pending {
    id: String,
    call: String,
    confirmed: bool,
    sent: bool,
}

#[derive(Default)]
struct Instance {
    name: String,
    confirmed: Option<Value>,
    queue: Vec<Pending>,
}

#[derive(Default)]
pub(crate) struct Model {
    instances: Vec<Instance>,
    settled: Vec<String>,
}

/// The pending calls that no longer applied, and why.
type Conflicts = Vec<(String, Code)>;

/// The result of a call on a document.
fn applied(name: &str, value: Option<&Value>, call: &str) -> Result<Option<Value>, Code> {
    let call = Call::from_value(parse(call, 64).unwrap()).map_err(|refusal| refusal.code)?;
    let (catalog, limits) = (Catalog::default(), Limits::default());
    let options = RunOptions {
        rules: Rules::Ui,
        catalog: &catalog,
        limits: &limits,
        on_error: OnError::Rollback,
        values: Values::default(),
        creates_instance: false,
    };
    match (call.target, value) {
        (Target::Create(..), Some(_)) => Err(Code::InstanceExists),
        (Target::Create(_, dialect), None) => {
            let mut document = Document::new(patch::start_document(name, dialect));
            Work::Patches(call.patches)
                .run(&mut document, RunOptions { creates_instance: true, ..options })
                .map_err(|refusal| refusal.code)?;
            patch::check_document(document.value(), Rules::Ui, &catalog).map_err(|refusal| refusal.code)?;
            Ok(Some(document.into_value()))
        }
        (_, None) => Err(Code::InvalidInstance),
        (Target::Delete(_), Some(_)) => Ok(None),
        (Target::Existing(_), Some(value)) => {
            let mut document = Document::new(value.clone());
            Work::Patches(call.patches).run(&mut document, options).map_err(|refusal| refusal.code)?;
            Ok(Some(document.into_value()))
        }
    }
}

fn name_of(call: &str) -> Result<String, Code> {
    let call = Call::from_value(parse(call, 64).unwrap()).map_err(|refusal| refusal.code)?;
    Ok(call.target.name().to_owned())
}

impl Instance {
    /// The document with the pending calls applied, and the calls that do not apply.
    fn replay(&mut self) -> (Option<Value>, Conflicts) {
        let mut conflicts = Vec::new();
        let mut value = self.confirmed.clone();
        self.queue.retain(|pending| match applied(&self.name, value.as_ref(), &pending.call) {
            Ok(next) => {
                value = next;
                true
            }
            Err(_) if pending.confirmed => {
                conflicts.push((pending.id.clone(), Code::NeedsSnapshot));
                false
            }
            Err(code) => {
                conflicts.push((pending.id.clone(), code));
                false
            }
        });
        (value, conflicts)
    }

    fn join(&mut self) {
        while self.queue.first().is_some_and(|pending| pending.confirmed) {
            let pending = self.queue.remove(0);
            self.confirmed = applied(&self.name, self.confirmed.as_ref(), &pending.call).unwrap();
        }
    }
}

impl Model {
    fn instance(&mut self, name: &str) -> &mut Instance {
        if !self.instances.iter().any(|instance| instance.name == name) {
            self.instances.push(Instance { name: name.to_owned(), ..Instance::default() });
        }
        self.instances.iter_mut().find(|instance| instance.name == name).unwrap()
    }

    fn holder(&mut self, id: &str) -> Option<(&mut Instance, usize)> {
        self.instances.iter_mut().find_map(|instance| {
            let place = instance.queue.iter().position(|pending| pending.id == id)?;
            Some((instance, place))
        })
    }

    pub(crate) fn seen(&self) -> Vec<(String, Value)> {
        let documents = self.instances.iter().filter_map(|instance| {
            let queue = &instance.queue;
            let value = queue.iter().fold(instance.confirmed.clone(), |value, pending| {
                applied(&instance.name, value.as_ref(), &pending.call).unwrap()
            });
            Some((instance.name.clone(), value?))
        });
        documents.collect()
    }

    pub(crate) fn confirmed(&self, name: &str) -> Option<&Value> {
        self.instances.iter().find(|instance| instance.name == name)?.confirmed.as_ref()
    }

    pub(crate) fn pending(&self) -> Vec<String> {
        self.instances.iter().flat_map(|instance| instance.queue.iter().map(|pending| pending.id.clone())).collect()
    }

    /// `id` is the id that the store assigned: the next one, or that of the last call if both set one place.
    pub(crate) fn optimistic(&mut self, call: &str, id: Option<&str>) -> Result<Conflicts, Code> {
        let name = name_of(call)?;
        let instance = self.instance(&name);
        let (value, _) = instance.replay();
        applied(&name, value.as_ref(), call)?;
        let id = id.unwrap_or_default();
        match instance.queue.last_mut() {
            Some(last) if last.id == id => {
                assert!(!last.sent && !last.confirmed, "a call that was sent takes nothing in");
                assert_eq!(path_set(&last.call), path_set(call));
                // When an equal value is set, the first spelling stays.
                if value_set(&last.call) != value_set(call) {
                    last.call = call.to_owned();
                }
            }
            last => {
                let alike = last.filter(|last| !last.sent && !last.confirmed && path_set(call).is_some());
                assert!(alike.is_none_or(|last| path_set(&last.call) != path_set(call)), "not taken in: {call}");
                instance.queue.push(Pending {
                    id: id.to_owned(),
                    call: call.to_owned(),
                    confirmed: false,
                    sent: false,
                });
            }
        }
        Ok(Vec::new())
    }

    pub(crate) fn confirm(&mut self, id: &str) -> Result<Conflicts, Code> {
        let Some((instance, place)) = self.holder(id) else {
            return if self.settled.iter().any(|own| own == id) { Ok(Vec::new()) } else { Err(Code::UnknownPending) };
        };
        instance.queue[place].confirmed = true;
        instance.join();
        self.settled.push(id.to_owned());
        Ok(Vec::new())
    }

    pub(crate) fn reject(&mut self, id: &str) -> Result<Conflicts, Code> {
        let (instance, place) = self.holder(id).ok_or(Code::UnknownPending)?;
        instance.queue.remove(place);
        let (_, conflicts) = instance.replay();
        instance.join();
        Ok(conflicts)
    }

    pub(crate) fn sent(&mut self, id: &str) -> bool {
        self.holder(id).is_some_and(|(instance, place)| !std::mem::replace(&mut instance.queue[place].sent, true))
    }

    pub(crate) fn load(&mut self, name: &str, value: Value, settles: &[&str]) -> Result<Conflicts, Code> {
        patch::check_document(&value, Rules::Ui, &Catalog::default()).map_err(|refusal| refusal.code)?;
        let instance = self.instance(name);
        let is_settled = |pending: &mut Pending| settles.contains(&pending.id.as_str());
        let settled: Vec<String> = instance.queue.extract_if(.., is_settled).map(|pending| pending.id).collect();
        self.settled.extend(settled);
        let instance = self.instance(name);
        instance.confirmed = Some(value);
        let (_, conflicts) = instance.replay();
        instance.join();
        Ok(conflicts)
    }

    pub(crate) fn apply(&mut self, call: &str, settles: Option<&str>) -> Result<Conflicts, Code> {
        let name = name_of(call)?;
        let instance = self.instance(&name);
        let confirmed = applied(&name, instance.confirmed.as_ref(), call)?;
        instance.confirmed = confirmed;
        let mut conflicts = Vec::new();
        if let Some(id) = settles {
            let holder =
                self.instances.iter_mut().find(|instance| instance.queue.iter().any(|own| own.id == id)).unwrap();
            holder.queue.retain(|own| own.id != id);
            if holder.name != name {
                holder.replay();
                holder.join();
            }
            self.settled.push(id.to_owned());
        }
        let instance = self.instance(&name);
        conflicts.extend(instance.replay().1);
        instance.join();
        Ok(conflicts)
    }

    /// Applies a server message as the store's `receive` does.
    pub(crate) fn receive(&mut self, message: &str, settles: Option<&String>) -> Result<Conflicts, Code> {
        let message = parse(message, 64).unwrap();
        let name = message.get("instance_name").and_then(Value::as_str).unwrap();
        match message.get("patches") {
            Some(patches) => {
                let call = format!(r#"{{"instance_name":"{name}","patches":{}}}"#, patches.to_json());
                self.apply(&call, settles.map(String::as_str))
            }
            None => match settles {
                Some(id) => self.confirm(id),
                None => Err(Code::MissingValue),
            },
        }
    }
}

fn only_patch(call: &str) -> Option<Value> {
    let patches = parse(call, 64).unwrap().get("patches").cloned()?;
    let only = patches.as_array().filter(|patches| patches.len() == 1)?.get(0)?.clone();
    (only.get("op")?.as_str()? == "set" && only.get("condition").is_none()).then_some(only)
}

fn path_set(call: &str) -> Option<Value> {
    only_patch(call)?.get("path").cloned()
}

fn value_set(call: &str) -> Option<Value> {
    only_patch(call)?.get("value").cloned()
}

const VALUES: [&str; 9] =
    ["1", "2", "\"x\"", "null", "{}", "[]", r#"{"k":1,"2":"two"}"#, r#"{"2":"two","k":1}"#, r#"[{"id":"a"},7]"#];

fn patch_text(random: &mut Random) -> String {
    let value = random.pick(&VALUES);
    let place = random.pick(&["n", "s", "o", "o.k", "o.2", "10", "9", "l", "l.0", "new.deep"]);
    let block = random.pick(&["a", "b", "c"]);
    match random.below(19) {
        0..=3 => format!(r#"{{"op":"set","path":"state.params.{place}","value":{value}}}"#),
        4 => r#"{"op":"increment","path":"state.params.n"}"#.to_owned(),
        5 => format!(r#"{{"op":"remove","path":"state.params.{place}"}}"#),
        6 => format!(r#"{{"op":"add","path":"blocks+","value":{{"id":"{block}","type":"tabs"}}}}"#),
        7 => format!(r#"{{"op":"remove","path":"blocks-\"{block}\""}}"#),
        8 => format!(r#"{{"op":"set","path":"blocks[\"{block}\"].title","value":"{block}{}"}}"#, random.below(3)),
        9 => format!(r#"{{"op":"prepend_to_list","path":"state.params.l","value":{value}}}"#),
        10 => r#"{"op":"remove_last","path":"state.params.l"}"#.to_owned(),
        11 => format!(r#"{{"op":"merge","path":"state.params","value":{{"{place}":{value},"m":{value}}}}}"#),
        12 => format!(
            r#"{{"op":"set","path":"state.params.s","value":{value},"condition":"state.params.n == {}"}}"#,
            random.below(3)
        ),
        13 => r#"{"op":"clear","path":"state.params"}"#.to_owned(),
        14 => format!(r#"{{"op":"add","path":"blocks.{}","value":{{"id":"{block}","type":"tabs"}}}}"#, random.below(3)),
        15 => format!(r#"{{"op":"add","path":"state.params.l.{}","value":{value}}}"#, random.below(4)),
        16 => match random.below(3) {
            0 => format!(r#"{{"op":"move","path":"blocks[\"{block}\"]","to":{}}}"#, random.below(3)),
            1 => format!(r#"{{"op":"move","path":"blocks.0","to":{{"after":"{block}"}}}}"#),
            _ => format!(r#"{{"op":"move","path":"state.params.l.{}","to":{{"before":"a"}}}}"#, random.below(3)),
        },
        17 => format!(
            r#"{{"op":"set","path":"blocks[\"{block}\"]","value":{{"id":"{block}","type":"form","props":{{"fields":[]}}}}}}"#
        ),
        _ => format!(r#"{{"op":"replace","path":"blocks","value":[{{"id":"{block}","type":"tabs"}}]}}"#),
    }
}

fn patches(random: &mut Random) -> String {
    let count = if random.below(2) == 0 { 1 } else { random.below(4) };
    let list: Vec<_> = (0..count).map(|_| patch_text(random)).collect();
    format!("[{}]", list.join(","))
}

/// A random call; most of them apply.
pub(crate) fn call(random: &mut Random) -> String {
    let name = ["a", "a", "a", "b", "c"][random.below(5)];
    match random.below(12) {
        0 => format!(r#"{{"instance_name":"__CREATE__","new_instance_name":"{name}","patches":{}}}"#, patches(random)),
        1 => format!(r#"{{"instance_name":"__DELETE__","target_instance_name":"{name}"}}"#),
        _ => format!(r#"{{"instance_name":"{name}","patches":{}}}"#, patches(random)),
    }
}

/// A document of an instance.
pub(crate) fn load(random: &mut Random) -> String {
    let (n, block) = (random.below(3), random.pick(&["a", "b"]));
    format!(
        r#"{{"page_key":"p","state":{{"params":{{"n":{n},"9":"nine","o":{{"k":1}},"l":[1,{{"id":"a"}}],"s":"x"}},"runtime":{{}}}},"layout":{{"type":"single"}},"blocks":[{{"id":"{block}","type":"tabs"}},{{"id":"z","type":"tabs"}}],"actions":[]}}"#
    )
}

/// A message from the server: a call, or, for a call to be settled, none.
pub(crate) fn push(random: &mut Random, settles: Option<&String>) -> String {
    let name = ["a", "a", "b"][random.below(3)];
    let key = if random.below(2) == 0 { "patch_id" } else { "clientCallId" };
    let id = settles.map_or_else(String::new, |id| format!(r#","{key}":"{id}""#));
    if settles.is_some() && random.below(3) == 0 {
        return format!(r#"{{"type":"patch","instance_name":"{name}"{id}}}"#);
    }
    let mut list = patches(random);
    if list == "[]" {
        list = "[{\"op\":\"increment\",\"path\":\"state.params.n\"}]".to_owned();
    }
    format!(r#"{{"type":"patch","instance_name":"{name}"{id},"patches":{list}}}"#)
}
