/** dist/teardown.js, which stands beside dist/main.js and is loaded only for its own command. */
export { teardown } from './teardown/main.ts';
