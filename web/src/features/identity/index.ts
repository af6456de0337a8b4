export { SignInAgain } from './sign-in-again.tsx'
export { SignInPage } from './sign-in-page.tsx'
