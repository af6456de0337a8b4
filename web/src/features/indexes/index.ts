export { IndexesPage } from './indexes-page.tsx'
