// Every word of the page, in one place: another language is another file like this one.

// By hand: the first toLocaleString of a page takes longer than a frame.
const grouped = (count) => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
const many = (count, one, more = `${one}s`) => `${grouped(count)} ${count === 1 ? one : more}`;

const cost = (amount) => `$${amount.toFixed(4)}`;

export const words = {
  cost,
  appName: "toolproto",
  skip: "Skip to the message",
  sessions: "Sessions", newSession: "New session", search: "Search sessions", untitled: "New session",
  rename: "Rename", remove: "Delete", share: "Share", unshare: "Stop sharing", exportMd: "Save as Markdown", exportJsonl: "Save as JSONL",
  sure: "Delete this session and its files?", yes: "Delete", no: "Keep", noSessions: "No sessions yet.", more: "Show more",
  sharedBy: "shared with you", menu: (title) => `What to do with ${title}`, saveTitle: "Save title", findTitle: "Let the model find a title",
  openPanel: "Tools and settings", closePanel: "Close", openSessions: "Sessions",
  tabs: { tools: "Tools", files: "Files", insight: "What the model saw", settings: "Settings", scratch: "Scratch" },
  say: "Message", placeholder: "Say something…", send: "Send", stop: "Stop", stopped: "Stopped.",
  you: "You", model: "Model", thinking: "Thinking", thought: (n) => `Thought, ${many(n, "character")}`,
  edit: "Edit and resend", rerun: "Run again", branchHere: "Continue from here", undo: "Undo its changes", undone: (paths) => `Restored: ${paths}. The model is not told.`, changes: "Changes", earlier: (n) => `Show ${many(n, "earlier turn")}`,
  version: (n, of) => `Version ${n} of ${of}`, previous: "Previous version", next: "Next version",
  resend: "Resend", cancel: "Cancel", copy: "Copy", copied: "Copied", code: "Code", table: "Table",
  image: (alt) => `[image${alt ? `: ${alt}` : ""}]`,
  welcome: "What would you like to do?",
  starters: ["What is 17 * 23?", "Write a poem to poem.txt", "Which files are there?", "Show me some code"],
  scriptedNote: "A script answers here, to show the page. Choose a model in the settings.",
  toldModel: "The model was told", offline: "No connection to the server. Trying again…", online: "Connected again.",
  interrupted: "The server stopped in the middle of this turn.", goOn: "Continue it",
  turnStatus: { aborted: "Stopped", error: "Failed", timeout: "Out of time", pending: "Waits for you", completed: "" },
  stats: (t) => [many(t.requests, "request"), t.calls ? many(t.calls, "call") : "", t.tokens ? many(t.tokens, "token") : "", `${t.seconds.toFixed(1)} s`, t.cost ? cost(t.cost) : ""].filter(Boolean).join(" · "),
  mode: "Reads run by themselves", modeHint: "When off, you run every call yourself.",
  answered: "The answer is complete.", waits: (name) => `${name} waits for your decision.`,
  // cards
  risk: { read: "reads", write: "changes something", egress: "sends something out", exec: "runs code" },
  status: { streaming: "being written", pending: "read", waiting: "waits for you", running: "running", completed: "done", error: "failed", rejected: "cannot be used", denied: "not run" },
  run: "Run", editRun: "Edit and run", deny: "Deny", always: "Always this tool", answer: "Answer it myself", ignore: "Ignore and go on",
  letLoop: "Let it go on", alwaysLoop: "Always let it repeat this", notRun: "These calls did not run:", changedPart: (part) => `The ${part} of this tool has changed`, was: "It was:", is: "It is:",
  reason: "Why not? The model is told.", denyNow: "Deny", arguments: "Arguments as JSON", runEdited: "Run it like this", result: "The result", failed: "It failed", giveResult: "Give result",
  notJson: "This is not a JSON object.", characters: (n) => many(n, "character"), showAll: (n) => `Show all ${many(n, "character")}`,
  noArguments: "no arguments", repaired: "Mended", concerns: "Look twice", vouch: "I have checked this value and vouch for it", needsVouch: "Tick the values that you vouch for, or change them.",
  output: "Result", took: (s) => `${s.toFixed(s < 1 ? 2 : 1)} s`, loadAll: "Load all of it", argumentsLabel: (n) => `Arguments of ${n}`,
  inPage: "runs in your browser, apart from this page", byYou: "only you can answer this", keysHint: "R run · E edit · N deny · A always · M answer · I ignore",
  // sandbox
  jsTime: (s) => `stopped: it ran longer than ${many(s, "second")}`, jsLost: "stopped: the sandbox was lost", jsStopped: "stopped by the user", jsNothing: "undefined", jsError: "error", jsCut: "… more was printed",
  // tools and files
  noTools: "Open a session to see its tools.", groupSwitch: (name) => `All of ${name}`,
  groupNames: { files: "Virtual file system", browser: "Browser" },
  newFile: "New file", upload: "Upload", download: "Download", save: "Save", saved: "Saved.", fileName: "Path of the file", noFiles: "No files yet. The model can write some, or you can.", bytes: (n) => many(n, "byte"), binary: "This file is not text; download it.", editFile: (p) => `Content of ${p}`, deleteFile: (p) => `Delete ${p}`, openFile: (p) => `Open ${p}`, filesMore: (n) => `${many(n, "more file")}`,
  // insight
  systemPrompt: "System prompt", requests: "Requests", request: (n) => `Request ${n}`, keptReply: (n) => `Earlier reply ${n}`, reply: "The reply, as it was read", offer: "Tools, sent as the service's own", nativeCalls: "Calls, as the service sent them", paradigm: "Paradigm", own: (n) => `${n} (this session's)`, about: (c, t) => `${many(c, "character")}, about ${many(t, "token")}`, exampleCall: "A call", exampleResult: "A result", reread: "The last reply, read in this paradigm", noRequests: "Nothing was sent yet.", tokens: (i, o) => `${many(i, "token")} in, ${many(o, "token")} out`, findings: "Calls", noFindings: "No call was found.", wouldBeTold: "The model would be told", role: { system: "System", user: "User", assistant: "Model" }, refresh: "Refresh",
  verdict: { accepted: "accepted", repaired: "repaired", doubted: "doubted", rejected: "rejected", ignored: "ignored" },
  legend: { thinking: "thinking", markup: "markers" },
  // settings
  source: "Where replies come from",
  sources: { scripted: "A script, for a first look", local: "The model in this process", url: "An address", given: "What the command line named" },
  url: "Address", urlHint: "As in http://localhost:8080/v1", dialect: "API of the service", service: "Which server this is", native: "The service's own tools", nativeWays: { never: "Not used: the form is taught", auto: "Used, unless it refuses them", only: "Always used" }, key: "Key", keyHint: "Kept in the server's memory only", hasKey: "A key is held in memory", keyEnv: "Or the variable that holds the key", modelName: "Model", fetchModels: "Fetch the list", noModels: "No models were listed.", paradigmSetting: "Form of the calls", auto: "What suits the model", advice: (a) => `For this model: ${a.paradigm}${a.teaching ? `, taught ${a.teaching}` : ""}. ${a.why}`,
  teaching: "How the form is taught", usual: "As usual for the form", describe: "How tools are shown", examples: "Show the model a call first", guard: "Guard against strangers' text", constrain: "Hold the model to a grammar", system: "System prompt", requests: "Requests for one message", seconds: "Seconds for one turn", toolSeconds: "Seconds for one tool", resultCharacters: "Characters of a result the model sees", jsSeconds: "Seconds for code in the browser", temperature: "Temperature", maxTokens: "Tokens of one reply", empty: "no limit", apply: "Use these settings", applied: "These settings hold from the next message on.", limits: "Limits", operators: "On this server only the operator chooses the endpoint.",
  // scratch
  pasteReply: "A model's reply", pasteTools: "Tools, as JSON (may be empty)", read: "Read it", caseName: "Name of the fixture", saveFixture: "Save as a fixture", fixtureSaved: (p) => `Saved as ${p}.`, noFixtures: "Start the server with --fixtures FOLDER to save fixtures.", useSession: "Use this session's tools",
  // signing in
  signin: "Sign in", signinHelp: "Open the address that the server printed in its terminal, or give its token or your key here.", signinKey: "Token or key", gone: "This session is gone.",
  help: "Keys", close: "Close",
  keys: [["/", "write a message"], ["Enter", "send it (Shift+Enter: a new line)"], ["Esc", "stop the turn; go from the message to the call that waits; close what is open"], ["J / K", "next / previous call that waits"], ["R", "run the call"], ["E", "edit it and run"], ["N", "deny it with a reason"], ["A", "run it and every later call of this tool"], ["M", "answer it yourself"], ["I", "ignore it and go on"], ["Alt+N", "new session"], ["?", "these keys"]],
};
