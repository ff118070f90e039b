#!/usr/bin/env node
// Greedy decode with ONNX Runtime on the CPU; prints one JSON object.
// decode.js --model DIR [--threads N] [--tokens N] [--prompt-ids 1,2,3]
'use strict';
const fs = require('fs');
const path = require('path');

const modules = path.join(__dirname, '../../../build/peers/onnxruntime/node_modules');
const ort = require(path.join(modules, 'onnxruntime-node'));
const version = JSON.parse(fs.readFileSync(path.join(modules, 'onnxruntime-node/package.json'))).version;

function parseArguments(argv) {
  const options = {model: '', threads: '1', tokens: '32', 'prompt-ids': '1,403,407,261,378'};
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, '');
    if (!argv[i].startsWith('--') || !(name in options) || argv[i + 1] === undefined) throw new Error(`bad option ${argv[i]}`);
    options[name] = argv[i + 1];
  }
  const count = (name) => {
    if (!/^[1-9][0-9]*$/.test(options[name])) throw new Error(`--${name}: wanted a number from 1, got ${options[name]}`);
    return Number(options[name]);
  };
  const prompt = options['prompt-ids'].split(',').map((id) => {
    if (!/^[0-9]+$/.test(id)) throw new Error(`--prompt-ids: ${id} is no id`);
    return Number(id);
  });
  if (!options.model) throw new Error('--model DIR is needed');
  return {model: options.model, threads: count('threads'), tokens: count('tokens'), prompt};
}

function halfToFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/// The last row of logits as numbers, and what it says.
function lastRow(tensor, vocab) {
  const data = tensor.data.subarray(tensor.data.length - vocab);
  const bits = data instanceof Uint16Array;  // float16 as bit patterns; newer Node.js has Float16Array
  let best = 0, second = -Infinity, sum = 0, squares = 0, finite = true;
  const at = (i) => (bits ? halfToFloat(data[i]) : data[i]);
  for (let i = 0, top = at(0); i < vocab; ++i) {
    const value = at(i);
    finite = finite && Number.isFinite(value);
    sum += value;
    squares += value * value;
    if (i > 0 && value > top) { second = top; top = value; best = i; } else if (i > 0 && value > second) second = value;
  }
  const mean = sum / vocab;
  return {id: best, gap: at(best) - second, finite, mean, deviation: Math.sqrt(squares / vocab - mean * mean)};
}

function emptyCaches(session) {
  const caches = {};
  for (const input of session.inputMetadata) {
    if (!input.name.startsWith('past_key_values.')) continue;
    const half = input.type === 'float16';
    caches[input.name] = {half, heads: input.shape[1]};
  }
  return caches;
}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  const config = JSON.parse(fs.readFileSync(path.join(options.model, 'genai_config.json'))).model;
  const loading = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(path.join(options.model, config.decoder.filename), {
    executionProviders: ['cpu'], intraOpNumThreads: options.threads, interOpNumThreads: 1, graphOptimizationLevel: 'all'});
  const loadNs = Number(process.hrtime.bigint() - loading);

  let caches = {};
  for (const [name, {half, heads}] of Object.entries(emptyCaches(session)))
    caches[name] = new ort.Tensor(half ? 'float16' : 'float32', half ? new Uint16Array(0) : new Float32Array(0),
                                  [1, heads, 0, config.decoder.head_size]);
  let ids = options.prompt, length = 0;
  const steps = [];
  while (steps.length < options.tokens) {
    length += ids.length;
    const feeds = {...caches,
                   input_ids: new ort.Tensor('int64', BigInt64Array.from(ids.map(BigInt)), [1, ids.length]),
                   attention_mask: new ort.Tensor('int64', new BigInt64Array(length).fill(1n), [1, length])};
    const begin = process.hrtime.bigint();
    const results = await session.run(feeds);
    const wallNs = Number(process.hrtime.bigint() - begin);
    const row = lastRow(results.logits, config.vocab_size);
    steps.push({...row, wall_ns: wallNs});
    caches = Object.fromEntries(Object.keys(caches).map((name) => [name, results[name.replace('past_key_values', 'present')]]));
    ids = [row.id];
  }
  process.stdout.write(JSON.stringify({
    engine: 'onnxruntime-node', version, node: process.version, threads: options.threads, prompt: options.prompt,
    load_ns: loadNs, peak_rss_bytes: process.resourceUsage().maxRSS * 1024,
    all_finite: steps.every((step) => step.finite), distinct_ids: new Set(steps.map((step) => step.id)).size, steps}) + '\n');
}

main().catch((error) => {
  process.stderr.write(`decode.js: ${error.message}\n`);
  process.exit(2);
});
