// The cases about what a message may hold: structured outputs, media, arguments, empty places, odd code units.
import { testCases } from './cases/register.mjs';

testCases(['structured-output', 'media', 'tool-args', 'empty-content', 'unicode'], {
  pending: {
    '066-image-count-limit/media_count_le': 'the limit on images is not part of this version',
  },
});
