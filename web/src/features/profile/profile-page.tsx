import { Paper } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { CredentialsPanel } from './credentials-panel.tsx'
import { PasskeysPanel } from './passkeys-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { PersonPanel } from './person-panel.tsx'
import { useProfile } from './profile-queries.ts'
import { SessionsPanel } from './sessions-panel.tsx'
import { TwoFactorPanel } from './two-factor-panel.tsx'
import css from './profile-page.module.css'

/** Profile: name, photo, sign-in and API credentials. */
export function ProfilePage() {
  usePageTitle('User profile')
  const { data: profile, error, refetch } = useProfile()
  return (
    <>
      <PageHeader title="User profile" description="Your name, photo, sign-in and API credentials." />
      {!profile && error && (
        <Paper>
          <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
        </Paper>
      )}
      {!profile && !error && <LoadingBlock height={280} radius="md" />}
      {profile && (
        <div className={css['panels']}>
          <div className={css['column']}>
            <PersonPanel profile={profile} />
            <TwoFactorPanel profile={profile} />
          </div>
          <div className={css['column']}>
            <PasswordPanel profile={profile} />
          </div>
          <div className={css['wide']}>
            <PasskeysPanel profile={profile} />
          </div>
          <div className={css['wide']}>
            <SessionsPanel />
          </div>
          <div className={css['wide']}>
            <CredentialsPanel />
          </div>
        </div>
      )}
    </>
  )
}
