import { Alert, Paper } from '@mantine/core'
import { Navigate, useLocation } from 'react-router'
import IconInfoCircle from '#icons/IconInfoCircle'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { useSession } from '#lib/session.ts'
import { Mark } from '#ui/mark.tsx'
import { AccountChoice } from './account-choice.tsx'
import { CredentialsForm } from './credentials-form.tsx'
import css from './sign-in-page.module.css'

const homePath = '/contact-service'

/** The way in: credentials, then an account when there is more than one, then the page that was asked for. */
export function SignInPage() {
  const session = useSession()
  const { company, product } = useDeployment()
  // Only the portal's own guard puts a place here, and it names a path of the portal.
  const place = useLocation().state as { returnTo?: string } | null
  usePageTitle(session.state === 'half' ? 'Choose an account' : 'Sign in')

  if (session.state === 'in') return <Navigate to={place?.returnTo ?? homePath} replace />
  // A kept sign-in is being checked, or could not be: the guard of the signed-in pages shows that.
  if (session.state === 'restoring' || session.state === 'unreachable') {
    return <Navigate to={place?.returnTo ?? homePath} replace />
  }
  return (
    <main className={css['page']}>
      <div className={css['brand']}>
        <Mark size={38} />
        <div>
          <div className={css['product']}>{product}</div>
          {company !== product && <div className={css['company']}>{company}</div>}
        </div>
      </div>
      <Paper className={css['card'] ?? ''}>
        {session.state === 'out' && session.notice && (
          <Alert mb="md" color="blue" icon={<IconInfoCircle size={18} />}>
            <output>{session.notice}</output>
          </Alert>
        )}
        {session.state === 'half' ? <AccountChoice email={session.email} /> : <CredentialsForm />}
      </Paper>
    </main>
  )
}
