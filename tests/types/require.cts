// A CommonJS program sees the same types.
import pkg = require('gentle-cascade');

export async function run(): Promise<number> {
  const c = await pkg.open({ transcript: 't', model: 'gpt-5' });
  // @ts-expect-error no such call
  c.nxt;
  return c.inspect().occupancy.tokens;
}
