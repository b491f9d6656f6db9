// @ts-check
// Joins a wasm module to its generated glue, once. The only file that knows how glue is linked; who calls it
// decides which wasm, and where its bytes come from.

// `instanceof` fails for a module of another realm (edge runtimes).
const isModule = (/** @type {any} */ x) => Object.prototype.toString.call(x) === '[object WebAssembly.Module]';

/**
 * @param {any} glue the generated module
 * @param {string} name the name the wasm imports it by
 */
export function linker(glue, name) {
  const imports = { [name]: { ...glue } };
  /** @type {WebAssembly.Exports | undefined} */
  let linked;

  glue.__wbg_set_wasm(
    new Proxy({}, {
      get() {
        throw new Error('gentle-cascade: call `await init()` before anything else of this entry');
      },
    }),
  );

  /** @param {WebAssembly.Instance} instance */
  function link(instance) {
    if (linked) return;
    linked = instance.exports;
    glue.__wbg_set_wasm(linked);
    /** @type {any} */ (linked).__wbindgen_start();
  }

  return {
    /** @param {BufferSource | WebAssembly.Module} source */
    bootSync(source) {
      if (!linked) link(new WebAssembly.Instance(isModule(source) ? /** @type {any} */ (source) : new WebAssembly.Module(/** @type {any} */ (source)), imports));
    },

    /** @param {any} source URL, Request, Response, bytes, module, or a promise of one */
    async boot(source) {
      if (linked) return;
      let input = await source;
      if (typeof input === 'string' || input instanceof URL || (typeof Request === 'function' && input instanceof Request)) input = await fetch(input);
      if (typeof Response === 'function' && input instanceof Response) {
        if (!input.ok) throw new Error(`gentle-cascade: loading the wasm failed with HTTP ${input.status}`);
        const typed = /^application\/wasm/.test(input.headers.get('content-type') ?? '');
        if (typed && WebAssembly.instantiateStreaming) return link((await WebAssembly.instantiateStreaming(input, imports)).instance);
        input = await input.arrayBuffer();
      }
      const made = await WebAssembly.instantiate(input, imports);
      link(/** @type {any} */ (made).instance ?? made);
    },

    /** The wasm memory; a call may grow it, so its buffer is read anew each time. */
    memory: () => /** @type {WebAssembly.Memory} */ (/** @type {any} */ (linked)?.memory),
  };
}
