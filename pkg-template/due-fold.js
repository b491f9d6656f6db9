// @ts-check
// A fold that is due, as the host gets it: `run` makes it here, once, however often it is called; the ticket
// makes it anywhere else.

/** @param {import('./bridge.js').Bridge} bridge who waits for the fold finds it there @param {any} ticket @param {(live: any[]) => Promise<unknown>} make collects its events in `live` */
export function dueFold(bridge, ticket, make) {
  /** @type {Promise<any[]> | undefined} */
  let started;
  return {
    ticket,
    run: () => {
      started ??= running(bridge, make);
      return started;
    },
  };
}

/** @param {import('./bridge.js').Bridge} bridge @param {(live: any[]) => Promise<unknown>} make */
async function running(bridge, make) {
  /** @type {any[]} */
  const live = [];
  const done = make(live);
  bridge.running = done;
  try {
    await done;
  } finally {
    if (bridge.running === done) bridge.running = undefined;
  }
  return live;
}
