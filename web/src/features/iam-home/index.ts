export { IamHomePage } from './iam-home-page.tsx'
