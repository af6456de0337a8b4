export { ImpersonationPage } from './impersonation-page.tsx'
