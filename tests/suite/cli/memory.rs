//! `wakeful memory` as a person types it: what each command answers, on which stream, with which exit code.

use super::reads::{Scene, err};
use serde_json::{Value, json};

/// A command that is done: what it told.
fn told(scene: &Scene, args: &[&str]) -> String {
    let output = scene.wakeful(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", err(&output));
    err(&output)
}

/// A command that is refused as it stands: why.
fn refused(scene: &Scene, args: &[&str]) -> String {
    let output = scene.wakeful(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
    assert!(output.stdout.is_empty(), "{args:?}");
    err(&output)
}

/// The numbers of the memories that a command lists, newest first.
fn ids(scene: &Scene, args: &[&str]) -> Vec<u64> {
    let listed = scene.json(&[args, &["--json"]].concat());
    listed.as_array().unwrap().iter().map(|memory| memory["id"].as_u64().unwrap()).collect()
}

fn offered(scene: &Scene, words: &str) -> bool {
    assert_eq!(scene.run(None, &["--approve", "auto"]), 0);
    scene.json(&["context", "last", "--step", "1", "--request", "--json"]).to_string().contains(words)
}

#[test]
fn a_memory_that_is_pinned_is_offered_whatever_a_run_is_about_until_it_is_unpinned() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "Zebras have stripes"]);
    assert!(!offered(&scene, "Zebras"), "it has nothing to do with the goal");
    assert!(told(&scene, &["memory", "pin", "1"]).contains("memory 1 is offered whatever is asked"));
    assert!(scene.text(&["memory", "ls"]).contains("fact *"));
    assert!(offered(&scene, "Zebras have stripes"));
    let unpinned = scene.json(&["memory", "unpin", "1", "--json"]);
    assert_eq!((&unpinned["id"], &unpinned["pinned"]), (&json!(1), &json!(false)), "{unpinned}");
    assert!(!scene.text(&["memory", "ls", "--kind", "fact"]).contains('*'));
    assert!(!offered(&scene, "Zebras"));
    assert!(told(&scene, &["memory", "unpin", "1"]).contains("memory 1 is offered where it fits"));
    let pinned = scene.json(&["memory", "pin", "1", "--json"]);
    assert_eq!(pinned["pinned"], true, "{pinned}");
    for word in ["pin", "unpin"] {
        assert!(refused(&scene, &["memory", word, "99"]).contains("no memory 99"));
    }
}

#[test]
fn any_number_of_pinned_ones_is_offered_and_takes_no_place_from_what_is_near() {
    let scene = Scene::new();
    let animals = ["Zebras", "Otters", "Herons", "Badgers", "Weasels", "Salmons"];
    for animal in animals {
        told(&scene, &["memory", "add", &format!("{animal} have their own house"), "--pin"]);
    }
    told(&scene, &["memory", "add", "Look at the ledger from its end"]);
    assert!(offered(&scene, "Look at the ledger from its end"), "it is near to the goal");
    let sent = scene.json(&["context", "last", "--step", "1", "--json"]);
    let texts: Vec<&str> =
        sent["memories"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    for animal in animals {
        assert!(texts.iter().any(|text| text.starts_with(animal)), "{animal}: {texts:?}");
    }
    assert_eq!(texts.len(), 7, "{texts:?}");
    assert!(sent["memories"].as_array().unwrap().iter().all(|one| one["sent"] == true), "{sent}");
}

#[test]
fn preferences_stand_in_the_system_message_also_where_memories_have_no_share() {
    for percent in ["6", "0"] {
        let scene = Scene::new();
        let folder = scene.path(".config/wakeful");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), format!("[context]\nmemory_percent = {percent}\n"))
            .unwrap();
        told(&scene, &["memory", "add", "简体中文", "--kind", "preference", "--key", "language"]);
        told(&scene, &["memory", "add", "Look at the ledger from its end", "--pin"]);
        assert_eq!(scene.run(None, &["--approve", "auto"]), 0);
        let shown = scene.json(&["context", "last", "--step", "1", "--request", "--json"]);
        let system = &shown["request"]["messages"][0];
        assert_eq!(system["role"], "system");
        assert!(system["content"].as_str().unwrap().contains("- language: 简体中文"), "{percent}: {system}");
        assert_eq!(shown.to_string().contains("from its end"), percent != "0", "{percent}: {shown}");
    }
}

/// Three memories, of which 1 and 2 disagree.
fn disagreeing() -> Scene {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "Export uses 4 threads"]);
    let other = told(&scene, &["memory", "add", "Export uses 8 threads"]);
    assert!(other.contains("disagrees with memory 1"), "{other}");
    told(&scene, &["memory", "add", "The bench needs --release", "--kind", "lesson"]);
    scene
}

#[test]
fn those_that_disagree_are_listed_and_one_of_them_is_kept() {
    let scene = disagreeing();
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [2, 1]);
    let output = scene.wakeful(&["memory", "ls", "--conflicts"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        shown.contains("4 threads") && shown.contains("8 threads") && !shown.contains("bench"),
        "{shown}"
    );
    assert!(shown.contains("! disagrees with 1"), "{shown}");
    assert!(err(&output).contains("`wakeful memory settle` decides"), "{}", err(&output));

    assert!(
        refused(&scene, &["memory", "settle", "1", "--keep", "3"]).contains("memory 3 is none of the two")
    );
    assert!(
        refused(&scene, &["memory", "settle", "3", "--keep", "3"]).contains("memory 3 disagrees with none")
    );
    assert!(refused(&scene, &["memory", "settle", "9", "--keep", "9"]).contains("no memory 9"));
    assert!(refused(&scene, &["memory", "settle", "1"]).contains("--keep"));
    refused(&scene, &["memory", "settle", "1", "--keep", "1", "--both", "x"]);
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [2, 1], "nothing was settled by that");

    // Named by the older one, the newer one stands.
    assert!(told(&scene, &["memory", "settle", "1", "--keep", "2"]).contains("settled: 2 stands"));
    assert_eq!(ids(&scene, &["memory", "ls"]), [3, 2]);
    assert!(refused(&scene, &["memory", "show", "1"]).contains("no memory 1"));
    let none = scene.wakeful(&["memory", "ls", "--conflicts"]);
    assert!(none.stdout.is_empty() && none.status.success());
    assert!(err(&none).contains("no two memories disagree here"), "{}", err(&none));
}

#[test]
fn both_of_two_that_disagree_name_each_other_until_it_is_settled() {
    let scene = disagreeing();
    for args in [&["memory", "ls"][..], &["memory", "ls", "--conflicts"], &["memory", "search", "export"]] {
        let shown = scene.text(args);
        for (words, other) in [("4 threads", "! disagrees with 2"), ("8 threads", "! disagrees with 1")] {
            let row = shown.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{shown}"));
            assert!(row.contains(other), "{args:?}: {shown}");
        }
        let json = scene.json(&[args, &["--json"]].concat());
        let named = |id: u64| json.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone();
        assert_eq!((&named(1)["disagrees_with"], &named(2)["disagrees_with"]), (&json!(2), &json!(1)));
    }
    assert!(
        scene.json(&["memory", "ls", "--json"])[0]["disagrees_with"].is_null(),
        "the lesson is not in doubt"
    );
    for (id, other) in [("1", 2), ("2", 1)] {
        assert_eq!(scene.json(&["memory", "show", id, "--json"])["disagrees_with"], other);
        let shown = scene.text(&["memory", "show", id]);
        assert!(
            shown.contains(&format!("! disagrees with memory {other}: `wakeful memory settle {id} …`")),
            "{shown}"
        );
    }
    // A third opinion: the older one stays in doubt when only one of the newer ones has gone.
    told(&scene, &["memory", "add", "Export uses 16 threads"]);
    assert_eq!(scene.json(&["memory", "show", "1", "--json"])["disagrees_with"], 2);
    told(&scene, &["memory", "rm", "2", "--yes"]);
    assert_eq!(scene.json(&["memory", "show", "1", "--json"])["disagrees_with"], 4);
    let stands = scene.json(&["memory", "settle", "1", "--keep", "1", "--json"]);
    assert!(stands[0]["disagrees_with"].is_null(), "{stands}");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), Vec::<u64>::new());
}

#[test]
fn three_that_disagree_stand_side_by_side_and_what_settled_them_is_told_afterwards() {
    let scene = disagreeing();
    told(&scene, &["memory", "add", "The import needs 2 passes"]);
    told(&scene, &["memory", "add", "Export uses 16 threads"]);
    // Side by side where the newest stands, whatever was remembered between.
    let shown = scene.text(&["memory", "ls"]);
    let shown: Vec<&str> = shown.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(shown, ["5", "2", "1", "4", "3"]);
    assert_eq!(ids(&scene, &["memory", "ls"]), [5, 4, 3, 2, 1], "programs get them by age");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [5, 2, 1]);
    let json = scene.json(&["memory", "ls", "--json"]);
    assert_eq!(
        (&json[0]["conflict"], &json[4]["conflict"]),
        (&json!([1, 2, 5]), &json!([1, 2, 5])),
        "{json}"
    );
    assert!(json[1]["conflict"].is_null());
    let shown = scene.text(&["memory", "ls", "--conflicts"]);
    let rows: Vec<&str> = shown.lines().skip(1).collect();
    for (row, (sign, note)) in rows.iter().zip([
        ("5  fact", "! disagrees with 1 and 2"),
        ("2  └ fact", "! disagrees with 1 and 5"),
        ("1  └ fact", "! disagrees with 2 and 5"),
    ]) {
        assert!(row.contains(sign) && row.contains(note), "{shown}");
    }
    let shown = scene.text(&["memory", "show", "2"]);
    assert!(
        shown.contains("! disagrees with memories 1 and 5: `wakeful memory settle 2 …`")
            && shown.contains("    Export uses 4 threads\n")
            && shown.contains("    Export uses 16 threads\n"),
        "{shown}"
    );
    let said = refused(&scene, &["memory", "settle", "1", "--keep", "4"]);
    assert!(said.contains("memory 4 is none of those that disagree (1, 2, 5)"), "{said}");
    let said = told(&scene, &["memory", "settle", "1", "--keep", "2"]);
    assert!(said.contains("settled: 2 stands in the place of 1 and 5"), "{said}");
    assert_eq!(ids(&scene, &["memory", "ls"]), [4, 3, 2]);
    let shown = scene.text(&["memory", "show", "2"]);
    // Lines are as wide as a page.
    let shown = shown.replace('\n', "");
    for other in ["1 (Export uses 4 threads)", "5 (Export uses 16 threads)"] {
        let told = format!("by a person (cli): it stands in the place of memory {other}");
        assert!(shown.contains(&told), "{shown}");
    }
    let settled = scene.json(&["memory", "show", "2", "--json"])["settled"].clone();
    assert_eq!((&settled[0]["other"], &settled[1]["other"]), (&json!(1), &json!(5)), "{settled}");
    assert!(settled[0]["at"].is_u64() && settled[0]["how"] == "kept", "{settled}");
    let said = refused(&scene, &["memory", "show", "5"]);
    assert!(said.contains("no memory 5") && said.contains("memory 2 took its place"), "{said}");
}

#[test]
fn the_same_words_as_a_fact_and_as_a_lesson_are_one_memory_that_names_both_sources() {
    let scene = disagreeing();
    let said = told(&scene, &["memory", "add", "The bench needs --release", "--kind", "fact", "--pin"]);
    assert!(said.contains("memory 3 says that already"), "{said}");
    let json = scene.json(&["memory", "show", "3", "--json"]);
    assert_eq!((&json["kind"], &json["pinned"]), (&json!("lesson"), &json!(true)), "{json}");
    assert_eq!(
        (&json["sources"][0]["kind"], &json["sources"][1]["kind"]),
        (&json!("lesson"), &json!("fact")),
        "{json}"
    );
    let shown = scene.text(&["memory", "show", "3"]);
    assert!(shown.lines().any(|line| line.starts_with("also ") && line.ends_with("as a fact")), "{shown}");
}

#[test]
fn a_third_one_names_all_that_it_disagrees_with() {
    let scene = disagreeing();
    let said = told(&scene, &["memory", "add", "Export uses 16 threads"]);
    assert!(
        said.contains("remembered as 4. ! It disagrees with memories 1 and 2: all are offered"),
        "{said}"
    );
    let json = scene.json(&["memory", "add", "Export uses 32 threads", "--json"]);
    assert_eq!((&json["disagrees_with"], &json["conflict"]), (&json!(1), &json!([1, 2, 4])), "{json}");
    let json = scene.json(&["memory", "add", "The import needs 2 passes", "--json"]);
    assert_eq!((&json["disagrees_with"], &json["conflict"]), (&Value::Null, &Value::Null), "{json}");
}

#[test]
fn an_edit_ends_a_conflict_and_begins_another_one() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "The default branch is main"]);
    let said = told(&scene, &["memory", "add", "The default branch is trunk"]);
    assert!(said.contains("disagrees with memory 1"), "{said}");
    told(&scene, &["memory", "add", "The default port is 8080"]);
    let said = told(&scene, &["memory", "edit", "2", "The release branch is trunk"]);
    assert!(said.contains("memory 2 is changed, and disagrees with none any more"), "{said}");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), Vec::<u64>::new());
    let said = told(&scene, &["memory", "edit", "2", "The default port is 9090"]);
    assert!(said.contains("memory 2 is changed. ! It disagrees with memory 3: both are offered"), "{said}");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [3, 2]);
    assert_eq!(scene.json(&["memory", "show", "1", "--json"])["disagrees_with"], Value::Null);
    // What does not change the words changes no conflict.
    told(&scene, &["memory", "edit", "2", "--confidence", "40"]);
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [3, 2]);
    // What a person let stand beside it does so in other words too.
    told(&scene, &["memory", "settle", "2", "--both", "by machine"]);
    let said = told(&scene, &["memory", "edit", "2", "The default port is 9091 (by machine)"]);
    assert!(said.contains("memory 2 is changed") && !said.contains("disagrees"), "{said}");
}

#[test]
fn an_edit_makes_no_second_of_the_same_words_and_its_usage_is_as_it_is_typed() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "The default branch is main"]);
    told(&scene, &["memory", "add", "The default branch is trunk"]);
    let said = refused(&scene, &["memory", "edit", "2", "the default branch is main"]);
    assert!(said.contains("memory 1 says that already"), "{said}");
    assert!(said.contains("`wakeful memory rm 2`"), "{said}");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), [2, 1]);
    // Its own words in other letters are no other memory's.
    told(&scene, &["memory", "edit", "2", "The default branch is Trunk"]);
    let usage = refused(&scene, &["memory", "edit"]);
    assert!(usage.contains("wakeful memory edit [OPTIONS] <ID> [TEXT]"), "{usage}");
    let usage = refused(&scene, &["memory", "settle", "1"]);
    assert!(usage.contains("memory settle [OPTIONS] <ID> <--keep <ID>|--both <WHEN>>"), "{usage}");
}

#[test]
fn what_telling_the_same_again_changed_is_told() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "Export locks the ledger", "--confidence", "60"]);
    let again = |more: &[&str]| told(&scene, &[&["memory", "add", "export locks the ledger"], more].concat());
    assert!(again(&["--confidence", "50"]).trim_end().ends_with("memory 1 says that already"));
    let said = again(&["--confidence", "90", "--kind", "rule", "--pin"]);
    assert!(said.contains("memory 1 says that already; it is now a rule, 90 % sure and pinned"), "{said}");
    let more: &[&str] =
        &["memory", "add", "Export locks the ledger", "--kind", "preference", "--key", "x", "--json"];
    assert_eq!(scene.json(more)["outcome"], "remembered", "of another key it is another thing");
    let json = scene.json(&["memory", "add", "Export locks the ledger", "--confidence", "95", "--json"]);
    assert_eq!(
        (&json["outcome"], &json["raised"]),
        (&json!("known"), &json!({ "kind": null, "confidence": 95, "pinned": false })),
        "{json}"
    );
}

#[test]
fn those_that_their_score_kept_out_are_told_beside_the_budget() {
    let scene = Scene::new();
    // The goal is to look at the ledger: one word of it is in nearly all of them, and tells little.
    for animal in
        ["zebras", "otters", "herons", "badgers", "weasels", "salmons", "rooks", "moles", "geese", "bees"]
    {
        told(
            &scene,
            &["memory", "add", &format!("A ledger about {animal} lies in the mill of their valley")],
        );
    }
    told(&scene, &["memory", "add", "Look out of the window at noon"]);
    assert_eq!(scene.run(None, &["--approve", "auto"]), 0);
    let json = scene.json(&["context", "last", "--step", "1", "--json"]);
    let row = json["rows"].as_array().unwrap().iter().find(|row| row["slot"] == "long-term").unwrap();
    assert_eq!(
        (&row["trimmed"][0]["what"], &row["trimmed"][0]["why"]),
        (&json!("4 items"), &json!("under score 0.20")),
        "of five places one is taken: {json}"
    );
    assert_eq!(row["items"], 1, "{row}");
    assert!(row["trimmed"][0]["tokens"].as_u64().unwrap() > 10, "{row}");
    let page = scene.text(&["context", "last", "--step", "1"]);
    assert!(page.contains("−4 items (under score 0.20, "), "{page}");
}

#[test]
fn both_that_disagree_stand_with_the_words_that_say_when() {
    let scene = disagreeing();
    let left = scene.json(&["memory", "settle", "2", "--both", "old and new machine", "--json"]);
    let texts: Vec<&str> = left.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        ["Export uses 8 threads (old and new machine)", "Export uses 4 threads (old and new machine)"]
    );
    assert!(left.as_array().unwrap().iter().all(|one| one["disagrees_with"].is_null()), "{left}");
    assert_eq!(ids(&scene, &["memory", "ls", "--conflicts"]), Vec::<u64>::new());
    let earlier = scene.json(&["memory", "show", "1", "--json"])["earlier"].clone();
    assert_eq!(
        (&earlier[0]["text"], &earlier[0]["why"]),
        (&json!("Export uses 4 threads"), &json!("settled"))
    );

    let scene = disagreeing();
    let said = told(&scene, &["memory", "settle", "1", "--both", "by machine"]);
    assert!(said.contains("settled: 1 and 2 stand") && !said.contains("stands"), "{said}");
}

#[test]
fn one_kind_is_listed_alone() {
    let scene = Scene::new();
    for kind in ["fact", "result", "rule", "lesson"] {
        told(&scene, &["memory", "add", &format!("{kind}: the ledger of 账本 {kind}"), "--kind", kind]);
    }
    told(&scene, &["memory", "add", "简体中文", "--kind", "preference", "--key", "language"]);
    for (id, kind) in (1..).zip(["fact", "result", "rule", "lesson", "preference"]) {
        assert_eq!(ids(&scene, &["memory", "ls", "--kind", kind]), [id], "{kind}");
        let shown = scene.text(&["memory", "ls", "--kind", kind]);
        assert_eq!(shown.lines().count(), 2, "a heading and a row: {shown}");
    }
    assert!(
        refused(&scene, &["memory", "ls", "--kind", "rumour"])
            .contains("fact, preference, result, rule, lesson")
    );
    told(&scene, &["memory", "rm", "1", "--yes"]);
    let none = told(&scene, &["memory", "ls", "--kind", "fact"]);
    assert!(none.contains("nothing of the kind fact is remembered here"), "{none}");
}

#[test]
fn memories_of_other_folders_are_seen_where_they_are_asked_for() {
    let scene = Scene::new();
    let other = scene.path("other");
    std::fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    let add = |words: &str, more: &[&str]| told(&scene, &[&["memory", "add", words], more].concat());
    add("The ledger here is closed", &[]);
    add("The ledger there is open", &["--workspace", other]);
    add("The person keeps a ledger", &["--user"]);
    for (place, found) in
        [(&[][..], &[3_u64, 1][..]), (&["--workspace", other], &[3, 2]), (&["--all"], &[3, 2, 1])]
    {
        assert_eq!(ids(&scene, &[&["memory", "ls"], place].concat()), found, "{place:?}");
        let mut searched = ids(&scene, &[&["memory", "search", "ledger"], place].concat());
        searched.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        assert_eq!(searched, found, "{place:?}");
    }
    let shown = scene.text(&["memory", "ls", "--all"]);
    assert!(shown.contains("other") && shown.lines().any(|line| line.contains("you")), "{shown}");
    for command in [&["memory", "ls"][..], &["memory", "search", "ledger"]] {
        refused(&scene, &[command, &["--all", "--workspace", other]].concat());
        let gone = scene.path("gone");
        let said = refused(&scene, &[command, &["--workspace", gone.to_str().unwrap()]].concat());
        assert!(said.contains("gone"), "{said}");
    }
    let empty = scene.path("empty");
    std::fs::create_dir(&empty).unwrap();
    told(&scene, &["memory", "rm", "3", "--yes"]);
    let none = told(&scene, &["memory", "ls", "--workspace", empty.to_str().unwrap()]);
    assert!(none.contains("nothing is remembered here; --all looks in all folders"), "{none}");
    let json: Value = scene.json(&["memory", "ls", "--workspace", empty.to_str().unwrap(), "--json"]);
    assert_eq!(json, json!([]));
}

#[test]
fn what_tells_a_secret_is_refused_with_the_way_to_name_it_and_what_only_speaks_of_one_is_kept() {
    let scene = Scene::new();
    let secrets: [&[&str]; 13] = [
        &["memory", "add", "password = hunter2hunter2"],
        &["memory", "add", "DB_PASSWORD=Zx81kk22mmQQ"],
        &["memory", "add", "the db is postgres://bob:s3cretPassw0rd@db.example/x"],
        &["memory", "add", "Authorization: Bearer abcdefghijklmnopqrstuvwxyz"],
        &["memory", "add", "密码是 Xk29pqRR"],
        &["memory", "add", "Zx81kk22mmQQ", "--kind", "preference", "--key", "db.password"],
        &["memory", "add", "x", "--kind", "preference", "--key", "password=hunter2hunter2"],
        &["memory", "add", "npm publishes with npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"],
        &["memory", "add", "it said eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN"],
        &["memory", "add", "curl -u bob:hunter2xyz https://api.example"],
        &["memory", "add", "口令 hunter2abc"],
        &["memory", "add", "login: admin / hunter2"],
        &["memory", "add", "deploys with -----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx1Yz3kQ9"],
    ];
    for args in secrets {
        let why = refused(&scene, args);
        assert!(why.contains("never remembered") && why.contains("${secret:NAME}"), "{args:?}: {why}");
    }
    told(&scene, &["memory", "add", "The password is in the vault; write ${secret:DB} for it"]);
    assert!(refused(&scene, &["memory", "edit", "1", "password: hunter2"]).contains("never remembered"));
    for (nth, text) in [
        "the password field is on the login page",
        "token budget is 8192",
        "commit 41957d8a3c0ffee4b5a69788796a5b4c3d2e1f00 fixed the export",
        "密码框在登录页",
    ]
    .iter()
    .enumerate()
    {
        assert!(
            told(&scene, &["memory", "add", text]).contains(&format!("remembered as {}", nth + 2)),
            "{text}"
        );
    }
    assert_eq!(ids(&scene, &["memory", "ls"]), [5, 4, 3, 2, 1]);
}

#[test]
fn a_preference_that_a_nearer_one_overrules_is_not_sent_and_the_list_says_so() {
    let scene = Scene::new();
    let like = |text: &str, more: &[&str]| {
        told(&scene, &[&["memory", "add", text, "--kind", "preference", "--key", "language"], more].concat());
    };
    like("简体中文", &["--user"]);
    like("English", &[]);
    let listed = scene.text(&["memory", "ls"]);
    let line = |words: &str| listed.lines().find(|line| line.contains(words)).unwrap().to_owned();
    assert!(line("简体中文").contains("not sent here: 2 is nearer"), "{listed}");
    assert!(!line("English").contains("not sent"), "{listed}");
    assert!(!scene.text(&["memory", "ls", "--all"]).contains("not sent"), "elsewhere it holds");
    let json = scene.json(&["memory", "ls", "--json"]);
    assert_eq!((&json[0]["overruled_by"], &json[1]["overruled_by"]), (&Value::Null, &json!(2)), "{json}");
    assert_eq!(ids(&scene, &["memory", "search", "language"]), [2, 1]);
    assert_eq!(scene.run(None, &["--approve", "auto"]), 0);
    let request =
        scene.json(&["context", "last", "--step", "1", "--request", "--json"])["request"].to_string();
    assert!(request.contains("language: English") && !request.contains("简体中文"), "{request}");
}

#[test]
fn the_context_of_a_step_names_each_memory_that_went_into_it_and_why() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "Zebras have stripes", "--pin"]);
    told(&scene, &["memory", "add", "two", "--kind", "preference", "--key", "indent"]);
    assert_eq!(scene.run(None, &["--approve", "auto"]), 0);
    let page = scene.text(&["context", "last", "--step", "1"]);
    let line = |words: &str| page.lines().find(|line| line.contains(words)).unwrap_or_default().to_owned();
    assert!(line("memory 1 (fact)").contains("being pinned · Zebras have stripes"), "{page}");
    assert_eq!(line("indent"), "preference indent: two", "{page}");
    let json = scene.json(&["context", "last", "--step", "1", "--json"]);
    let memory = &json["memories"][0];
    assert_eq!(
        (&memory["id"], &memory["sent"], &memory["found_by"]),
        (&json!(1), &json!(true), &json!("being pinned"))
    );
    assert_eq!(json["preferences"], json!([{ "key": "indent", "text": "two" }]));
}

#[test]
fn what_is_deleted_is_told_to_stand_in_journals_still_and_is_in_no_later_backup() {
    let scene = Scene::new();
    told(&scene, &["memory", "add", "quokkas are marsupials"]);
    assert!(told(&scene, &["memory", "rm", "1", "--yes"]).contains("journals of runs that were offered it"));
    assert!(scene.text(&["memory", "rm", "--help"]).contains("journal"));
    let copy = scene.workspace().join("copy.db");
    told(&scene, &["backup", copy.to_str().unwrap()]);
    let bytes = std::fs::read(&copy).unwrap();
    for word in ["quokkas", "marsupial"] {
        assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
    }
}
