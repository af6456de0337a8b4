import { Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { messageOf } from '#lib/api/api-error.ts'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { paths } from '#lib/paths.ts'
import { useLinkSecret } from '#lib/session/link-secret.ts'
import { EntryFrame } from '#ui/page/entry-frame.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { RegisterForm } from './register-form.tsx'
import { useInvitation } from './register-queries.ts'

/** `/register#invitation=…`: accepts an invitation. */
export function RegisterPage() {
  const { company, product } = useDeployment()
  usePageTitle('Accept the invitation')
  const link = useLinkSecret('invitation')
  const { data: invitation, error, refetch } = useInvitation(link)
  return (
    <EntryFrame company={company} product={product}>
      {invitation && !invitation.isRegistered && <RegisterForm link={link} invitation={invitation} />}
      {invitation?.isRegistered && <SignInToAccept email={invitation.email} />}
      {invitation === null && <InvalidInvitation />}
      {invitation === undefined && error && <FailureState message={messageOf(error)} onRetry={() => void refetch()} />}
      {invitation === undefined && !error && (
        <Group gap="sm">
          <Loader size="sm" aria-hidden />
          <Text component="output">Checking the invitation…</Text>
        </Group>
      )}
    </EntryFrame>
  )
}

/** The person has chosen a password since, through another invitation. */
function SignInToAccept({ email }: { email: string }) {
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        Sign in to accept
      </Title>
      <Text>{email} has a password already. Sign in, and accept the invitation there.</Text>
      <Button component={Link} to={paths.entry()} size="sm" mt={6} fullWidth>
        Sign in
      </Button>
    </Stack>
  )
}

function InvalidInvitation() {
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        This invitation is not valid
      </Title>
      <Text>It was already used, is older than 7 days, or was replaced by a newer one.</Text>
      <Text>
        If you already chose a password, sign in. Otherwise ask the person who invited you for a new invitation, or have
        one sent to you.
      </Text>
      <Button component={Link} to={paths.entry()} size="sm" mt={6} fullWidth>
        Sign in
      </Button>
      <Button component={Link} to={paths.forgotPassword()} variant="default" size="sm" fullWidth>
        Send me another invitation
      </Button>
    </Stack>
  )
}
