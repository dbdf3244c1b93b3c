// Talking with the server: plain requests for what is done, one stream of events for what happens.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(method, path, body, raw) {
  const options = { method, headers: {}, credentials: "same-origin" };
  if (raw !== undefined) options.body = raw;
  else if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  if (!answer.ok) {
    let told = answer.statusText;
    try {
      told = (await answer.json()).error || told;
    } catch {
      // no JSON: the status says enough
    }
    throw new Refused(answer.status, told);
  }
  return answer;
}

const json = async (...asked) => {
  const answer = await ask(...asked);
  return answer.status === 204 ? {} : answer.json();
};
const at = (id, what = "") => `/api/sessions/${encodeURIComponent(id)}${what}`;
const query = (values) => new URLSearchParams(Object.entries(values).filter(([, v]) => v !== undefined && v !== "")).toString();

export const api = {
  about: () => json("GET", "/api/about"),
  signin: (key) => json("POST", "/api/signin", { key }),
  list: (search, offset = 0) => json("GET", `/api/sessions?${query({ search, offset, limit: 50 })}`),
  create: () => json("POST", "/api/sessions", { reuse: true }),
  show: (id, before) => json("GET", at(id, before ? `?before=${before}` : "")),
  change: (id, values) => json("PATCH", at(id), values),
  remove: (id) => json("DELETE", at(id)),
  act: (id, what, values = {}) => json("POST", at(id, `/${what}`), values),
  call: (id, call) => json("GET", at(id, `/calls/${encodeURIComponent(call)}`)),
  tools: (id) => json("GET", at(id, "/tools")),
  files: (id) => json("GET", at(id, "/files")),
  read: async (id, path) => (await ask("GET", at(id, `/file?${query({ path })}`))).arrayBuffer(),
  write: (id, path, content) => json("PUT", at(id, `/file?${query({ path })}`), undefined, content),
  unlink: (id, path) => json("DELETE", at(id, `/file?${query({ path })}`)),
  settings: (id) => json("GET", id ? at(id, "/settings") : "/api/settings"),
  choose: (id, settings) => json("POST", id ? at(id, "/settings") : "/api/settings", { settings }),
  models: (values) => json("POST", "/api/models", values),
  advice: (model) => json("GET", `/api/advice?${query({ model })}`),
  seen: (id) => json("GET", at(id, "/seen")),
  exchange: (id, number, paradigm) => json("GET", at(id, `/seen/${number}?${query({ paradigm })}`)),
  prompt: (id, paradigm) => json("GET", at(id, `/prompt?${query({ paradigm })}`)),
  scratch: (values) => json("POST", "/api/scratch/read", values),
  fixture: (values) => json("POST", "/api/scratch/fixture", values),
  exported: (id, form) => at(id, `/export?form=${form}`),
};

/** The events of session *id* behind *after*, one call of *heard* each, until `close()`.
 *
 * A tab that is hidden lets go of its connection: a browser has six for one server, and a seventh
 * tab would wait for ever. It reads on from the same place when it is looked at again.
 */
export class Stream {
  constructor(id, after, heard, state, gone) {
    Object.assign(this, { id, after, heard, state, gone });
    this.seen = () => this.visibility();
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  visibility() {
    clearTimeout(this.leaving);
    if (document.hidden) this.leaving = setTimeout(() => this.hangUp(), 5000);
    else if (!this.source) this.open();
  }

  open() {
    if (this.closed) return;
    const source = (this.source = new EventSource(at(this.id, `/events?${query({ after: this.after })}`)));
    source.onopen = () => this.state(true);
    source.onmessage = (event) => {
      if (event.lastEventId) this.after = event.lastEventId;
      this.heard(JSON.parse(event.data));
    };
    source.onerror = () => {
      this.state(false);
      // The browser tries again by itself with the place it was at; ours is newer, and it gives up
      // over an answer that is no stream.
      this.hangUp();
      clearTimeout(this.trying);
      this.trying = setTimeout(() => this.source || this.again(), 1000);
    };
  }

  /** Connect again, unless there is nothing to connect to any more. */
  async again() {
    try {
      await ask("GET", at(this.id, "/tools"));
    } catch (error) {
      if (error.status === 401) return location.reload();
      if (error.status === 404) return this.closed || this.gone();
    }
    return this.closed || this.open();
  }

  hangUp() {
    this.source?.close();
    this.source = null;
  }

  close() {
    this.closed = true;
    clearTimeout(this.trying);
    clearTimeout(this.leaving);
    document.removeEventListener("visibilitychange", this.seen);
    this.hangUp();
  }
}
