/** The demo: accounts with contacts of people who do not exist. What other modules may use. */
export { startDemo } from './demo.service.ts'
