import type { Feature } from '@portico/contract/features'
import { Code } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { useAccount } from '#lib/session.ts'
import { MessagePage } from './message-page.tsx'

type NotAllowedPageProps = { feature: Feature; screen: string }

/** Names what is missing, so that the user can ask for it. */
export function NotAllowedPage({ feature, screen }: NotAllowedPageProps) {
  const { name } = useAccount()
  return (
    <MessagePage title="You may not open this" icon={<IconLock size={26} />}>
      {screen} needs the feature <Code>{feature}</Code>
      {name && `, which you do not hold in ${name}`}. Contact your admin to see how you can get this feature.
    </MessagePage>
  )
}
