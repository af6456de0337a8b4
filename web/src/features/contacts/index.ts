export { ContactsPage } from './contacts-page.tsx'
