//! The TypeScript in the repository is what the Rust types say now.

use std::fs;
use std::path::Path;

const EXPORTED: [&str; 4] = [
    "ui/src/gen/contract.ts",
    "ui/src/gen/serde_json/JsonValue.ts",
    "bridge/page/interceptor/src/gen/contract.ts",
    "bridge/page/interceptor/src/gen/page.ts",
];

#[test]
fn the_exported_types_are_fresh() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let fresh = tempfile::tempdir().expect("a folder for the fresh export");
    countersign_contract::export_types(fresh.path()).expect("the types export");
    for file in EXPORTED {
        let expected = fs::read_to_string(fresh.path().join(file)).expect(file);
        let found = fs::read_to_string(repository.join(file)).unwrap_or_default();
        assert!(expected == found, "{file} is stale: run `npm run gen` and commit the result");
    }
}
