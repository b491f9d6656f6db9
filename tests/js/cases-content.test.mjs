// The cases about what a message may hold: structured outputs, media, arguments, empty places, odd code units.
import { testCases } from './cases/register.mjs';

testCases(['structured-output', 'media', 'tool-args', 'empty-content', 'unicode'], {
  should: ['069-splice-through-an-embedded-image', '080-call-arguments-cut-head-only'],
});
