// The AI SDK, with its provider for OpenAI-compatible services.
//
// The scenarios are those of usual.py, in this client's own words.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent } from "ai";
import assert from "node:assert/strict";

const [url, ...models] = process.argv.slice(2);
const service = createOpenAICompatible({ name: "proxy", baseURL: `${url}/v1`, apiKey: "unused" });

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const trip = {
  type: "object",
  properties: {
    stops: { type: "array", items: { type: "string" } },
    nights: { type: "integer" },
    budget: { type: "number" },
    flexible: { type: "boolean" },
    guest: { type: "object", properties: { name: { type: "string" } } },
  },
  required: ["stops"],
};
const weather = { description: "Current weather in a city.", inputSchema: jsonSchema(city) };
const tools = {
  get_weather: tool(weather),
  now: tool({ description: "The time.", inputSchema: jsonSchema({ type: "object", properties: {} }) }),
  book: tool({ description: "Book a trip.", inputSchema: jsonSchema(trip) }),
};
const running = {
  get_weather: tool({ ...weather, execute: async ({ city }) => `${city}: 4 °C` }),
};

const OSLO = { city: "Oslo" };
const LIMA = { city: "Lima" };
const TRIP = {
  stops: ["Oslo", "Lima"], nights: 3, budget: 12.5, flexible: true,
  guest: { name: 'Ann "A" Ö </tool_call></tool_code>' },
};
const WORDS =
  "👩‍👩‍👧 🇳🇴 Zürich 東京 שלום مرحبا \u202eback\u202c a\u2028b\u2029c\u0085d e\u0301 " +
  "\"q\" 'p' \\n \\ <b> &amp; line\nline\ttab";

const order = (name, given) => `Call ${name} with ${JSON.stringify(given)}`;
const both = `${order("get_weather", OSLO)}. ${order("get_weather", LIMA)}`;

/** What a model answers, whole or streamed: its text, its calls, why it ended, and its messages. */
async function ask(model, streamed, messages, settings = {}) {
  if (typeof messages === "string") messages = [{ role: "user", content: messages }];
  const request = { model: service(model), messages, tools, maxRetries: 0, ...settings };
  if (!streamed) return read(await generateText(request));
  let failure;
  const result = streamText({ ...request, onError: ({ error }) => { failure = error; } });
  for await (const part of result.fullStream) if (part.type === "error") failure = part.error;
  if (failure) throw failure;
  return read(result);
}

async function read(result) {
  const calls = (await result.toolCalls).map((call) => [call.toolName, call.input]);
  const ids = (await result.toolCalls).map((call) => call.toolCallId);
  const { messages } = await result.response;
  return { text: await result.text, calls, ids, finish: await result.finishReason, messages };
}

const resultOf = (toolCallId, toolName, value) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
});

async function refused(...asked) {
  try {
    await ask(...asked);
  } catch (error) {
    return error;
  }
  assert.fail("no error");
}

const scenarios = {
  async words(model, streamed) {
    const reply = await ask(model, streamed, "Hello");
    assert.deepEqual([reply.text, reply.calls, reply.finish], ["Hello to you.", [], "stop"]);
  },
  async single_call(model, streamed) {
    const reply = await ask(model, streamed, order("get_weather", OSLO));
    assert.deepEqual(reply.calls, [["get_weather", OSLO]]);
    assert.deepEqual([reply.text.trim(), reply.finish], ["Let me see.", "tool-calls"]);
    assert.ok(reply.ids[0]);
  },
  async no_arguments(model, streamed) {
    assert.deepEqual((await ask(model, streamed, order("now", {}))).calls, [["now", {}]]);
  },
  async typed_arguments(model, streamed) {
    assert.deepEqual((await ask(model, streamed, order("book", TRIP))).calls, [["book", TRIP]]);
  },
  async parallel_calls(model, streamed) {
    const reply = await ask(model, streamed, both);
    assert.deepEqual(reply.calls, [["get_weather", OSLO], ["get_weather", LIMA]]);
    assert.equal(new Set(reply.ids).size, 2);
  },
  async one_at_a_time(model, streamed) {
    const settings = { providerOptions: { proxy: { parallel_tool_calls: false } } };
    const reply = await ask(model, streamed, both, settings);
    assert.deepEqual(reply.calls, [["get_weather", OSLO]]);
  },
  async forced(model, streamed) {
    const reply = await ask(model, streamed, "Hello", { toolChoice: "required" });
    assert.deepEqual(reply.calls, [["get_weather", OSLO]]);
  },
  async forced_by_name(model, streamed) {
    const settings = { toolChoice: { type: "tool", toolName: "now" } };
    assert.deepEqual((await ask(model, streamed, "Hello", settings)).calls, [["now", {}]]);
  },
  async forbidden(model, streamed) {
    const settings = { toolChoice: "none" };
    const reply = await ask(model, streamed, order("get_weather", OSLO), settings);
    assert.deepEqual([reply.text.trim(), reply.calls, reply.finish], ["Let me see.", [], "stop"]);
  },
  async results_then_answer(model, streamed) {
    const first = await ask(model, streamed, both);
    const messages = [{ role: "user", content: both }, ...first.messages];
    messages.push(resultOf(first.ids[0], "get_weather", "Oslo: 4 °C"));
    messages.push(resultOf(first.ids[1], "get_weather", "Lima: 4 °C"));
    const answer = await ask(model, streamed, messages);
    assert.equal(answer.text, "I was told: Oslo: 4 °C | Lima: 4 °C");
    messages.push(...answer.messages, { role: "user", content: order("now", {}) });
    const second = await ask(model, streamed, messages);
    messages.push(...second.messages, resultOf(second.ids[0], "now", "noon"));
    const last = await ask(model, streamed, messages, { tools: undefined });
    assert.deepEqual([last.text, last.calls], ["I was told: noon", []]);
  },
  async unicode(model, streamed) {
    const question = order("get_weather", { city: WORDS });
    const reply = await ask(model, streamed, question);
    assert.deepEqual(reply.calls, [["get_weather", { city: WORDS }]]);
    const messages = [{ role: "user", content: question }, ...reply.messages];
    messages.push(resultOf(reply.ids[0], "get_weather", WORDS));
    assert.equal((await ask(model, streamed, messages)).text, `I was told: ${WORDS}`);
  },
  async busy_upstream(model, streamed) {
    const error = await refused(model, streamed, "Fail with 429");
    assert.ok(APICallError.isInstance(error), String(error));
    assert.equal(error.statusCode, 429);
    assert.match(error.message, /not now, please/);
    assert.equal(error.responseHeaders["retry-after"], "7");
  },
  async unknown_choice(model, streamed) {
    const settings = { toolChoice: { type: "tool", toolName: "fly" } };
    const error = await refused(model, streamed, "Hello", settings);
    assert.equal(error.statusCode, 400);
    assert.match(error.message, /'fly'/);
  },
  async broken_off(model, streamed) {
    const error = await refused(`broken/${model}`, streamed, order("get_weather", OSLO));
    assert.match(error.message ?? JSON.stringify(error), /the upstream/);
  },
  async agent(model, streamed) {
    const agent = new ToolLoopAgent({
      model: service(model), tools: running, stopWhen: stepCountIs(4), maxRetries: 0,
    });
    const answer = streamed
      ? await (await agent.stream({ prompt: both })).text
      : (await agent.generate({ prompt: both })).text;
    assert.equal(answer, "I was told: Oslo: 4 °C | Lima: 4 °C");
  },
};

for (const model of models) {
  for (const [scenario, play] of Object.entries(scenarios)) {
    for (const streamed of [false, true]) {
      let problem = null;
      try {
        await play(model, streamed);
      } catch (error) {
        problem = String(error?.stack ?? JSON.stringify(error));
      }
      console.log(JSON.stringify({ model, scenario, streamed, problem }));
    }
  }
}
