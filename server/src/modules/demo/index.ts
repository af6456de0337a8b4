/** The demo: accounts with contacts of people who do not exist. Exports for other modules. */
export { hasDemo, startDemo } from './demo.service.ts'
