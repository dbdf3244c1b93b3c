// The agent of the AI SDK, streamed.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { stepCountIs, tool, ToolLoopAgent } from "ai";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const url = process.env.PROXY_URL;
const service = createOpenAICompatible({ name: "proxy", baseURL: `${url}/v1`, apiKey: "unused" });

const tools = {
  list_files: tool({
    description: "List the files of the folder.",
    inputSchema: z.object({}),
    execute: async () => readdirSync(".").sort().join("\n"),
  }),
  read_file: tool({
    description: "Read a file.",
    inputSchema: z.object({ path: z.string().describe("The name of the file.") }),
    execute: async ({ path }) => readFileSync(path, "utf-8"),
  }),
  write_file: tool({
    description: "Write a file.",
    inputSchema: z.object({
      path: z.string().describe("The name of the file."),
      content: z.string().describe("What is to stand in it."),
    }),
    execute: async ({ path, content }) => {
      writeFileSync(path, content);
      return "written";
    },
  }),
};

const agent = new ToolLoopAgent({ model: service("m"), tools, stopWhen: stepCountIs(8) });
const prompt = "List the folder, read notes.txt, then write out.txt. Say when all is done.";
const result = await agent.stream({ prompt });
let failure;
for await (const part of result.fullStream) if (part.type === "error") failure = part.error;
if (failure) {
  console.error("error:", failure);
  process.exit(1);
}
console.log(await result.text);
