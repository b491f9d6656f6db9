// A conversation about a booking service that never existed, written for this purpose: fifty facts, each in one
// message, and fifty questions that ask for them in other words. What a question is to find is the message that
// holds the fact, not the one that once asked for it.

/** [what the user said, what the assistant answered, the later question, who holds the fact (default: the answer)] */
const FACTS = [
  ['Where do we keep the session cookie secret?', 'The cookie secret is read from the vault path kv/harbour/web at start-up; it is not in any environment file.', 'In which place is the secret for the login cookies stored?'],
  ['Which database version is production on?', 'Production runs Postgres 15.6; staging was upgraded to 16 last month.', 'What release of Postgres does the live system use?'],
  ['Please never use default exports, I find them hard to search for.', 'Understood, only named exports from now on.', 'What did I say about how modules should export things?', 'user'],
  ['The nightly import failed again.', 'The import failed because the supplier renamed the column berth_no to berthNumber in their CSV without telling us.', 'What caused the CSV import to break at night?'],
  ['How are refunds calculated?', 'Refunds are 100 % until 14 days before arrival, 50 % until 3 days before, nothing after that; the rules live in src/pricing/refund.ts.', 'How much of the price is refunded when a guest cancels a week before arrival?'],
  ['Can you find out why the map is slow?', 'The map re-renders every marker on each pan; clustering them with a memoised layer brought a pan from 900 ms to 40 ms.', 'What made panning around the map sluggish and what fixed it?'],
  ['Which mail provider do we use?', 'Transactional mail goes through Postmark; the marketing team still sends newsletters with Mailjet.', 'Who delivers our transactional e-mails?'],
  ['What is the limit for uploads?', 'Uploads are capped at 8 MB per picture by the gateway, and the image service scales anything wider than 2,400 pixels down.', 'How large may a picture be that somebody uploads?'],
  ['The staging certificate expired.', 'I renewed the certificate for staging.harbour.test with certbot; the timer had been disabled since the server was moved.', 'Why had the TLS certificate on staging not renewed by itself?'],
  ['How do we roll back a release?', 'To roll back, run deploy/rollback.sh with the previous image tag; migrations are forward-only, so restore the snapshot if a table changed.', 'What is the procedure for going back to the earlier release?'],
  ['Which port does the payment worker listen on?', 'The payment worker listens on 7071 and is reachable only inside the cluster.', 'On what port can the worker for payments be reached?'],
  ['Are we allowed to log card numbers?', 'No: only the last four digits may be logged, the redactor in src/log/scrub.ts enforces that.', 'What part of a credit card number may show up in the logs?'],
  ['I prefer tabs over spaces in this repository.', 'Noted. The formatter is set to tabs now.', 'How do I want the code indented?', 'user'],
  ['Why did the build get so slow?', 'The build got slow because every package compiles the shared types again; project references cut it from six minutes to ninety seconds.', 'What was behind the slow builds?'],
  ['Which timezone do bookings use?', 'Bookings are stored in UTC and shown in the timezone of the harbour, never in that of the visitor.', 'In what time zone do visitors see their reservation?'],
  ['Who owns the tide data?', 'Tide tables come from the hydrographic office under a licence that forbids caching them for longer than 24 hours.', 'How long may we cache the tides and who provides them?'],
  ['The end-to-end tests are flaky.', 'The flaky test waited for a fixed 500 ms; it now waits until the calendar has rendered its last week.', 'How was the unstable browser test repaired?'],
  ['What happens when a payment times out?', 'A payment that times out is set to pending and retried by the reconciler every ten minutes, at most six times.', 'How often do we try again after a payment did not come through in time?'],
  ['Which browser versions do we support?', 'We support the last two versions of each evergreen browser and Safari from 15.4 on; the list is in .browserslistrc.', 'What is the oldest Safari that still has to work?'],
  ['How do I create a test user?', 'Run pnpm seed --user ada; it creates a harbour master with the password printed on the terminal.', 'What is the command that creates an account for tests?'],
  ['Search returns harbours that are closed.', 'Closed harbours showed up because the search index is rebuilt only on Sundays; I added an event that removes one within a minute.', 'Why did shut harbours still appear among the search results?'],
  ['What is our budget for the page weight?', 'The start page may weigh 180 kB compressed; the size check fails the build above that.', 'How heavy may the landing page become before the build refuses it?'],
  ['Please ask me before you touch anything under infra.', 'I will ask first before changing files in infra.', 'Which folder may you not change without asking me first?', 'user'],
  ['How are prices rounded?', 'Prices are kept in cents as integers and rounded half to even once, at the end of the calculation.', 'What rounding rule applies to amounts of money?'],
  ['Where is the feature flag for group bookings?', 'Group bookings hide behind the flag booking.groups in flags.json, on for 10 % of the harbours.', 'Which toggle controls bookings by groups?'],
  ['The websocket drops after a minute.', 'The load balancer cut idle websockets after 60 seconds; a ping every 25 seconds keeps them open.', 'Why did the live connection keep closing and what keeps it alive now?'],
  ['Do we have a style guide for error messages?', 'Error messages name the field, say what is wrong and what would be right, and end without an exclamation mark.', 'How are we supposed to word errors?'],
  ['Which queue do we use?', 'Jobs go through NATS JetStream; the old Redis queue is still read by the invoice job until March.', 'What message broker carries the background jobs?'],
  ['How long are backups kept?', 'Backups are kept for 35 days, and one of each month for a year; the restore drill is on the first Monday.', 'For how many days do we hold on to backups?'],
  ['Why does the calendar start on Sunday for some people?', 'The calendar took the first weekday from the browser language; it now takes it from the country of the harbour.', 'What decided on which weekday a week begins, and what decides it now?'],
  ['Can the API be called from other sites?', 'Cross-origin calls are allowed only for origins listed in the partner table; everything else gets a 403.', 'Which foreign websites may call our endpoints?'],
  ['What is the password policy?', 'Passwords need twelve characters and must not occur in the list of leaked ones; there are no rules about special characters.', 'How long does a password have to be?'],
  ['The invoice numbers have gaps.', 'The gaps in the invoice numbers come from a sequence that is not rolled back; the tax adviser accepts them as long as they are documented.', 'Are missing invoice numbers a problem for the taxes?'],
  ['Let us call the new module berthing, not docking.', 'Renamed: docking is now berthing everywhere.', 'What name did I choose for the new module?', 'user'],
  ['How do we translate texts?', 'Translations live in locales/*.ftl and are pulled from Weblate every night by the bot.', 'Where do the strings of the other languages come from?'],
  ['Which cache headers do pictures get?', 'Pictures are served with a one-year immutable cache because their name contains a hash of the content.', 'For how long may a browser keep a picture in its cache?'],
  ['Is the admin area behind the VPN?', 'The admin area is public but asks for a security key; the VPN was switched off in autumn.', 'How is the back office protected since the VPN is gone?'],
  ['Why is the count of free berths wrong at times?', 'Free berths were counted before the lock was taken, so two requests could both see the last one; the count happens inside the transaction now.', 'What race condition let two people take the same last place?'],
  ['What did the accessibility audit find?', 'The audit found missing labels on the date fields and a contrast of 3.1 on the grey buttons, both fixed.', 'Which problems did the accessibility review report?'],
  ['How do we measure errors in production?', 'Errors are collected by Sentry with a sample rate of 0.2; crashes of the worker are always sent.', 'Where do errors of the live system get reported?'],
  ['When is the code freeze?', 'The freeze starts on 12 December at noon and ends on 3 January; only fixes for payments are let through.', 'On which dates does the freeze begin and end?'],
  ['The sitemap is too large.', 'The sitemap passed fifty thousand addresses, so it is split by country with an index file in front.', 'Why was the sitemap divided into several files?'],
  ['Which license does the tide parser have?', 'The tide parser is under the LGPL, so we link it dynamically and list it in NOTICE.md.', 'Under what licence is the library that reads tides?'],
  ['How does the harbour master cancel a whole day?', 'A harbour master closes a day with the button in the day view; guests get a message and are moved to the waiting list.', 'What happens to the guests when one day is closed altogether?'],
  ['What should the agent do when tests fail twice?', 'After two failed runs I stop, write down what was tried, and ask.', 'When do you give up on failing tests and turn to me?'],
  ['Is there a rate limit?', 'Each key may make 120 requests a minute; the limiter answers 429 with the seconds to wait.', 'How many calls per minute can a client make?'],
  ['Why was the Tuesday deploy rolled back?', 'The migration locked the orders table for nine minutes, so the Tuesday deploy was rolled back.', 'What went wrong with the deploy that had to be rolled back?'],
  ['Where are the ferry schedules parsed?', 'Ferry schedules are parsed in services/ferry/parseTimetable.ts; the winter plan has an extra header line that is skipped.', 'Which file reads the timetables of the ferries?'],
  ['How are boats measured?', 'Length, beam and draught are stored in millimetres; feet are only a display unit.', 'In what unit do we store the size of a vessel?'],
  ['Who is on call next week?', 'Noor is on call from Monday, Janek takes over on Thursday because of the conference.', 'Which colleague is on call at the start of the coming week?'],
];

const noise = (n) => `drwxr-xr-x src/module-${n}\n-rw-r--r-- src/module-${n}/index.ts ${1_000 + n * 37} bytes\n-rw-r--r-- src/module-${n}/index.test.ts ${700 + n * 53} bytes\n`.repeat(6);

/** The conversation and its questions. `at` is the index of the row that holds the fact. */
export function conversation() {
  const messages = [{ role: 'user', content: 'You help with the harbour booking service. I will ask about many things; answer briefly.' }];
  const questions = [];
  for (const [n, [said, answer, question, who]] of FACTS.entries()) {
    messages.push({ role: 'user', content: said });
    if (n % 3 === 0) {
      messages.push({ role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, { type: 'tool-call', toolCallId: `list-${n}`, toolName: 'list_files', input: { path: `src/module-${n}` } }] });
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId: `list-${n}`, toolName: 'list_files', output: { type: 'text', value: noise(n) } }] });
    }
    questions.push({ question, at: who === 'user' ? messages.length - (n % 3 === 0 ? 3 : 1) : messages.length });
    messages.push({ role: 'assistant', content: [{ type: 'text', text: answer }] });
  }
  messages.push({ role: 'user', content: 'Good. Now something else.' }, { role: 'assistant', content: [{ type: 'text', text: 'I am ready.' }] });
  return { messages, questions };
}
