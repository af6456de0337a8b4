export { DeletesPage } from './deletes-page.tsx'
