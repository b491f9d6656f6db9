// @ts-check
// What a set of tools looks like to a model, as text to be counted: OpenAI models see TypeScript, Claude sees the
// JSON it is given, Gemini hardly more than the words. Reads definitions in any SDK's shape and changes none.

import { jsonText } from './safe-json.js';

/** @typedef {{ name: string, description: string, parameters: any }} Definition */

/** A tool's definition, wherever its SDK puts it. @param {any} tool a frame's tool @returns {Definition} */
export function definitionOf(tool) {
  const given = tool.schema ?? {};
  const inner = given.function ?? given;
  const whole = inner.inputSchema ?? inner.input_schema ?? inner.parametersJsonSchema ?? (isSchema(inner) ? undefined : inner.parameters);
  const parameters = whole?.jsonSchema ?? whole?.json ?? whole;
  return {
    name: tool.name,
    description: String(tool.description ?? (parameters === undefined && isSchema(inner) ? '' : inner.description) ?? ''),
    parameters: parameters ?? (isSchema(inner) ? inner : {}),
  };
}

const isSchema = (/** @type {any} */ value) => value?.type === 'object' || value?.type === 'OBJECT' || value?.properties !== undefined;

/** The text of one tool. @param {Definition} definition @param {'typescript' | 'json' | 'words'} style */
export function toolText({ name, description, parameters }, style) {
  if (style === 'json') return jsonText({ name, description, parameters }).text;
  if (style === 'words') return [`${name} ${description}`, ...words(parameters)].join('\n');
  const properties = Object.keys(parameters?.properties ?? {});
  const arguments_ = properties.length > 0 ? `_: ${comment(parameters.description)}${object(parameters, parameters, 0)}` : '';
  return `${comment(description)}type ${name} = (${arguments_}) => any;\n\n`;
}

/**
 * What tools cost less side by side than one by one: a comment merges with the blank line before it, and parameters
 * cost one token less than their text; a described parameter object costs one more.
 * @param {Definition[]} definitions
 */
export function seams(definitions) {
  return definitions.reduce((sum, { description, parameters }, i) => {
    const comment = i > 0 && description !== '' ? -1 : 0;
    if (Object.keys(parameters?.properties ?? {}).length === 0) return sum + comment;
    return sum + comment - (typeof parameters.description === 'string' && parameters.description !== '' ? 0 : 1);
  }, 0);
}

/**
 * The schema an answer is bound to, and the description where one is given.
 * @param {any} format a schema, or the option of a request that holds one @param {'typescript' | 'json' | 'words'} style
 */
export function formatText(format, style) {
  const { schema, description } = boundBy(format);
  const about = typeof description === 'string' && description !== '' ? description : '';
  if (style === 'words') return [...(about === '' ? [] : [about]), ...words(schema)].join('\n');
  return `${about === '' ? '' : style === 'typescript' ? comment(about) : `${about}\n`}${jsonText(style === 'typescript' ? bare(schema) : schema).text}`;
}

/** The schema in `response_format`, `text.format`, `output_config.format`, the AI SDK's `responseFormat`, or the schema itself. @param {any} format @returns {{ schema: any, description?: unknown }} */
function boundBy(format) {
  const inner = format?.json_schema ?? format;
  const schema = inner?.schema;
  return schema !== null && typeof schema === 'object' && !isSchema(inner) ? { schema: schema.jsonSchema ?? schema, description: inner.description } : { schema: format };
}

/** Without what the model is not shown. @param {any} schema @param {number} [depth] @returns {any} */
function bare(schema, depth = 0) {
  if (Array.isArray(schema)) return schema.map((one) => bare(one, depth + 1));
  if (schema === null || typeof schema !== 'object' || depth > 24) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'title' && key !== 'additionalProperties' && key !== 'required').map(([key, value]) => [key, bare(value, depth + 1)]));
}

/** What stands around the tools. */
export const AROUND = Object.freeze({ typescript: '# Tools\n\n## functions\n\nnamespace functions {\n\n} // namespace functions', json: '', words: '' });

/** Only the first line of a description is a comment; the others stand bare and unindented. @param {unknown} text */
function comment(text) {
  if (typeof text !== 'string' || text === '') return '';
  return `// ${text.trim().split('\n').map((line) => line.trim()).join('\n')}\n`;
}

/** @param {any} schema @param {any} root @param {number} depth */
function object(schema, root, depth) {
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties).map(([key, property]) => {
    const standard = property?.default === undefined || property.default === null ? '' : ` // default: ${JSON.stringify(property.default)}`;
    return `${comment(property?.description)}${key}${required.has(key) ? '' : '?'}: ${type(property, root, depth + 1)},${standard}\n`;
  });
  return `{\n${lines.join('')}}`;
}

/** @param {any} schema @param {any} root @param {number} depth @returns {string} */
function type(schema, root, depth) {
  // Schemas may refer to themselves; nobody reads types this deep.
  if (schema === null || typeof schema !== 'object' || depth > 12) return 'any';
  if (typeof schema.$ref === 'string') {
    const key = schema.$ref.split('/').pop() ?? '';
    const { $ref: _, ...rest } = schema;
    return type({ ...(root.$defs ?? root.definitions ?? {})[key], ...rest }, root, depth + 1);
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((/** @type {any} */ value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return union.map((one) => type(one, root, depth + 1)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((/** @type {any} */ one) => type({ ...schema, type: one }, root, depth + 1)).join(' | ');
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'array') return `${schema.items ? type(schema.items, root, depth + 1) : 'any'}[]`;
  if (Object.keys(schema.properties ?? {}).length > 0) return object(schema, root, depth);
  return typeof schema.type === 'string' ? schema.type : 'any';
}

/** @param {any} schema @param {number} [depth] @returns {string[]} */
function words(schema, depth = 0) {
  if (depth > 12) return [];
  const inner = Object.entries(schema?.properties ?? {}).flatMap(([key, property]) => [`${key}: ${property?.type ?? ''} ${[property?.enum ?? []].flat().join(' ')} ${property?.description ?? ''}`.replace(/ +/g, ' ').trim(), ...words(property, depth + 1), ...words(property?.items, depth + 1)]);
  return [...inner, ...[schema?.anyOf ?? schema?.any_of ?? schema?.oneOf ?? []].flat().flatMap((/** @type {any} */ one) => words(one, depth + 1))];
}
