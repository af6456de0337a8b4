export { RemoteAccessPage } from './remote-access-page.tsx'
