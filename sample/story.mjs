// What the developer asks and what the assistant says and does: the prose of the sample session, ours throughout.
// The calls are real (see tools.mjs); sentences that name files or numbers take them from the tree as it is, so
// the story stays true while the code changes. No model takes part.

/**
 * @param {{ user(text: string): void, say(text: string): void, think(text: string): void,
 *   step(text: string, calls: [tool: string, input: object][]): any[] }} talk  `step` returns the outputs' values
 * @param {{ path: string, lines: number, bytes: number }[]} tree  every file of the project
 */
export function story({ user, say, think, step }, tree) {
  const code = tree.filter((file) => /\.(rs|js)$/.test(file.path));
  const inside = (dir) => code.filter((file) => file.path.startsWith(dir));
  const lines = (files) => files.reduce((sum, file) => sum + file.lines, 0);
  const largest = (files, n) => [...files].sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1)).slice(0, n);
  const named = (word, n) => code.filter((file) => file.path.includes(word)).slice(0, n);
  const read = (files, limit) => files.map((file) => ['read_file', { path: file.path, ...(limit && { limit }) }]);
  const list = (files) => files.map((file) => `\`${file.path}\` (${file.lines} lines)`).join(', ');
  const core = inside('src/');
  const js = inside('pkg-template/');

  user('I am new to this code base. Before I change anything: what is where, how big is it, and where should I start reading?');
  step('I will look at the tree, the README and the manifest together.', [
    ['list_files', { path: '.' }],
    ['read_file', { path: 'README.md' }],
    ['read_file', { path: 'Cargo.toml' }],
  ]);
  step('Now the map of the crate and the package beside it.', [
    ['read_file', { path: 'src/lib.rs' }],
    ['read_file', { path: 'pkg-template/package.json' }],
    ['read_file', { path: 'Makefile' }],
  ]);
  step('How much code is in each directory?', [
    ['bash', { command: "find src pkg-template www tests -type f \\( -name '*.rs' -o -name '*.js' -o -name '*.mjs' \\) | sort | xargs wc -l" }],
  ]);
  say(`There are ${core.length} Rust files under \`src\` (${lines(core)} lines) and ${js.length} JavaScript files under \`pkg-template\` (${lines(js)} lines). ` +
    'The core decides and knows no JavaScript; the package projects the messages, applies the recipe and talks to the host. ' +
    `Start with \`src/lib.rs\`, it is the map. The largest Rust files are ${list(largest(core, 3))}.`);

  user('How does a long tool result get cut, and what does the model see afterwards? Please follow it all the way from the host to the core and back.');
  step('Every place that speaks of clamping, on both sides.', [
    ['search', { pattern: '[Cc]lamp', path: 'src' }],
    ['search', { pattern: '[Cc]lamp', path: 'pkg-template' }],
  ]);
  const clamp = named('clamp', 4);
  step('These are the files that are named after it; I read them together.', read(clamp.length ? clamp : largest(core, 3)));
  think('The marker has to fit inside the cap, so the budget is the cap minus a reserve. Check that the tail is counted from the end of the original text and not from the rendered one.');
  step('The marker and its arithmetic next, and who keeps the full text.', [
    ['search', { pattern: 'marker|omitted|reserve', path: 'src' }],
    ['search', { pattern: 'raw\\.(put|get|has)|rawCapBytes|persistRaw', path: 'pkg-template' }],
  ]);
  step('And the store that holds what was cut.', read(named('stores/', 3)));
  say('A result over `toolOutput.maxChars` is saved whole first, then shortened to its first 70 % and last 30 % with one marker line in between, all of it within the cap. ' +
    'The marker names the handle and the offset at which the missing part begins, so the model can read on from there. If the save fails, no handle is named: the marker never promises what cannot be read back.');

  user('Und wie wird eigentlich gezählt? Ich verstehe nicht, woher die Zahl in der Anzeige kommt, und warum sie manchmal von der Summe der Teile abweicht. Antworte bitte kurz und auf Deutsch.');
  step('Ich suche zuerst nach dem Wort für die Differenz und lese dann die Messung selbst.', [
    ['search', { pattern: 'overhead', path: '.' }],
    ['list_files', { path: 'src/core/measure' }],
  ]);
  const measure = inside('src/core/measure');
  step('Die Messung, Datei für Datei.', read(measure.slice(0, 4)));
  step('Der Rest davon.', read(measure.slice(4, 8).length ? measure.slice(4, 8) : largest(core, 2), 200));
  say('Kurz gesagt: Die Zahl in der Anzeige ist die echte Eingabe der letzten Antwort, so wie der Anbieter sie gemeldet hat, plus eine Schätzung dessen, was seither hinzukam. ' +
    'Geschätzt wird nach Zeichenklassen, denn ein Umlaut, ein Schriftzeichen und eine Leerstelle kosten unterschiedlich viel. Die Teile (Systemtext, Werkzeuge, Nachrichten, Anhänge) werden einzeln gemessen; ' +
    'was zwischen ihrer Summe und der echten Zahl liegt, steht mit Vorzeichen als »overhead« darunter. So geht die Rechnung immer genau auf, und eine Abweichung wird gezeigt statt versteckt.');

  user('Build it and run the native tests. I want to see it green before I touch anything.');
  const built = step('First the build and the check, in colour as you would see it.', [
    ['bash', { command: 'cargo build --color=always 2>&1 | tail -n 60' }],
    ['bash', { command: 'cargo check --color=always --message-format=human 2>&1 | tail -n 60' }],
  ]);
  const [tested] = step('Now the tests, one thread, so that the order stays the same.', [
    ['bash', { command: 'cargo test --color=always --lib --tests -- --test-threads=1 2>&1 | tail -n 400' }],
  ]);
  step('And the toolchain, for the record.', [['bash', { command: 'cargo --version; rustc --version; node --version' }]]);
  const green = ![...built, tested].some((output) => /FAILED|\berror(\[E\d+\])?:/.test(String(output)));
  say(`${green ? 'All green' : 'Not all of it is green, see above'}: that is the state before any change. The two commands of the README do the same and more; I ran the single steps so that a failure would point at its own part.`);

  user('Can I just `cargo run` it? And which examples are there?');
  const [ran] = step('Let us see.', [['bash', { command: 'cargo run --color=never --bin gentle-cascade' }]]);
  step('It is a library; the command line lives in the package. I look there.', [
    ['bash', { command: 'grep -rn --color=always "parseArgs\\|--help\\|--window" pkg-template | head -n 60' }],
    ['list_files', { path: 'pkg-template' }],
    ['read_file', { path: 'pkg-template/cli.js' }],
  ]);
  const cli = inside('pkg-template/cli/');
  step('And the parts it is made of.', read(cli.slice(0, 4)));
  say(`No: ${/no bin target/.test(String(ran)) ? 'cargo answers that there is no such binary' : 'that did not work'}, and that is as it should be. The crate is a library for WebAssembly; ` +
    'the command is `gentle-cascade` of the npm package and needs the built package beside it. `make run` builds it and replays this very kind of session.');

  user('请用中文简单说明一下：旧的工具结果什么时候会被清理？清理之后模型还能不能读到原文？');
  step('我先找相关的规则和默认值，然后读实现。', [
    ['search', { pattern: 'keep_?[Rr]ecent|at_?[Ff]raction|clear_?[Aa]t_?[Ll]east|min_?[Rr]esult', path: '.' }],
    ['search', { pattern: 'context-cleared', path: '.' }],
  ]);
  step('规则的实现，以及阈值的计算。', read(named('evict', 3).length ? named('evict', 3) : largest(core, 2)));
  step('再看一下阈值。', read([...named('threshold', 2), ...named('config', 2)].slice(0, 3), 260));
  say('简单说：占用达到窗口的一半时，系统才会检查旧的工具结果。最近三轮的结果、模型还没有读过的结果、以及太小的结果都不会动。' +
    '其余的从最旧的开始，一次清理一批，每个结果换成一行说明：工具名、成败、行数、以及取回原文用的编号。原文先保存，后替换，所以模型随时可以用这个编号把原文一页一页读回来。' +
    '清理一次之后会安静一段时间，这样前缀缓存不会每一步都失效。');

  user('Now read the relief code and everything it stands on in one go, and look for anything that could fail on odd input: empty lists, huge strings, half a surrogate pair.');
  step('All of the core in one piece. It is long, but I want to see it as a whole.', [
    ['bash', { command: "find src tests -name '*.rs' | sort | xargs tail -n +1 2>/dev/null | head -c 118000" }],
  ]);
  think('Nothing stands out at first sight. The lints forbid panics and plain indexing, so what is left is arithmetic and cutting inside of a character. Search for both.');
  step('Now the places that usually break: panics, arithmetic, cuts inside of a character.', [
    ['search', { pattern: '\\.(unwrap|expect)\\(|panic!|unreachable!', path: 'src' }],
    ['search', { pattern: 'saturating_|checked_|wrapping_', path: 'src' }],
    ['search', { pattern: 'surrogate|is_char_boundary|isWellFormed|toWellFormed', path: '.' }],
    ['search', { pattern: 'is_empty\\(\\)|\\.length === 0|len\\(\\) == 0', path: 'src' }],
  ]);
  const heavy = largest(core, 6);
  step('The two largest files deserve a second, slower look.', read(heavy.slice(0, 2)));
  step('And the two after them.', read(heavy.slice(2, 4)));
  say(`I read ${core.length} files. What I would test first: a transcript without any assistant row, a result of exactly the cap and one unit more, an emoji across the cut, a call that is answered twice, and a list that shrank between two calls. ` +
    `The largest files, ${list(heavy.slice(0, 2))}, carry most of the arithmetic.`);

  user('Does anything on the JavaScript side depend on Node? It has to run in a browser tab and on an edge worker too.');
  const [imports] = step('Imports first, then globals that only one runtime has.', [
    ['search', { pattern: "from 'node:|require\\(|import\\('node:", path: 'pkg-template' }],
    ['search', { pattern: '\\b(process|Buffer|__dirname|setImmediate)\\b', path: 'pkg-template' }],
    ['search', { pattern: '\\b(window|document|localStorage|customElements)\\b', path: 'pkg-template' }],
  ]);
  const entries = js.filter((file) => !file.path.includes('/cli') && !file.path.includes('/readers/'));
  step('The largest modules that every runtime loads.', read(largest(entries, 4)));
  step('And the readers of other tools\' session logs, which the page uses as well.', read(inside('pkg-template/readers/').slice(0, 5), 260));
  const node = [...new Set(imports.matches.map((match) => match.file))];
  say(`${node.length ? `From \`node:\` import only ${node.map((name) => `\`${name}\``).join(', ')}` : 'Nothing imports from `node:`'}. The page element needs a document and is a sub-path of its own; everything else uses what browsers, Node and workers share: text encoders, decompression streams, WebAssembly, plain promises.`);

  user('Run the JavaScript tests that need no browser, and show me what a failing one would look like.');
  step('The fast ones first, then one that fails on purpose.', [
    ['bash', { command: 'for f in $(ls tests/js/*.test.mjs | grep -v -e page -e sample -e real -e cli -e replay | head -n 6); do node --test --test-reporter=tap "$f" | grep -v -e "^ *duration_ms" -e "^ *\\.\\.\\." -e "^ *---" -e "^ *type:" | head -n 60; done' }],
    ['bash', { command: `node --input-type=module -e "import assert from 'node:assert/strict'; assert.equal([1, 2, 3].at(-1), 4, 'the last element')"` }],
  ]);
  step('Which subjects do the tests cover so far?', [
    ['search', { pattern: "^\\s*(test|it|describe)\\(|#\\[test\\]|assert[._a-z]*!?\\(", path: 'tests', max: 220 }],
    ['search', { pattern: '#\\[test\\]', path: 'src' }],
    ['bash', { command: 'find tests -type f | sort | xargs wc -l' }],
  ]);
  say('The failing one ends with exit code 1 and prints both values, which is what the pipeline looks at. The others are listed above by name, so a red line names the behaviour that broke.');

  user('最後に、今日調べたことを日本語で三行にまとめてください。チームの記録に残します。');
  step('まとめの前に、数字をもう一度確かめます。', [
    ['bash', { command: "find src -name '*.rs' | wc -l; find pkg-template -name '*.js' | wc -l; cat src/lib.rs | wc -l" }],
    ['read_file', { path: 'CHANGELOG.md' }],
  ]);
  say(`一、中核は Rust の ${core.length} ファイルで、文章そのものは持たず、長さと見出しだけを測ります。\n` +
    '二、長い結果は届いた時に短くし、古い結果は必要になった時だけ一行の要約に置き換えます。原文はどちらも番号で読み戻せます。\n' +
    `三、変更の前にビルドと試験は${green ? '通っています' : '一部が失敗しています'}。次は、境界の値と壊れた文字の試験を増やすことを勧めます。`);
}
