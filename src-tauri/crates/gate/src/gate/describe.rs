use countersign_contract::{DescriptorRef, NamedBy};

use super::Gate;
use crate::descriptor::Descriptors;
use crate::{At, Descriptor};

impl Gate {
    /// The descriptors that make cards readable, in place of those there were. A card that reads otherwise now has not been
    /// seen; what is decided keeps the words it was decided with.
    pub fn describe(&mut self, descriptors: Vec<(NamedBy, Descriptor)>, at: &At) {
        self.descriptors = Descriptors::new(descriptors);
        for entry in self.entries.values_mut().filter(|entry| entry.phase.is_held()) {
            entry.reading = self.descriptors.reading(&entry.act, &entry.preview);
            entry.refresh(&mut self.eye, at.ms);
        }
    }

    /// Every descriptor in force, the person's own first.
    pub fn descriptors(&self) -> Vec<DescriptorRef> {
        self.descriptors.list()
    }
}
