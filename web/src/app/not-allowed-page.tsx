import { Code } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { useAccount, useUser } from '#lib/session/session.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { MessagePage } from './message-page.tsx'
import type { Gate } from './screens.ts'

type NotAllowedPageProps = { gate: Gate; screen: string }

/** Names the missing right, which the user can then ask for. */
export function NotAllowedPage({ gate, screen }: NotAllowedPageProps) {
  return gate.who === undefined ? <WithoutFeature gate={gate} screen={screen} /> : <NotAdministrator />
}

function WithoutFeature({ gate, screen }: NotAllowedPageProps) {
  const { name } = useAccount()
  return (
    <MessagePage title="You may not open this" icon={<IconLock size={26} />}>
      {screen} needs the feature <Code>{gate.feature}</Code>
      {name && `, which you do not hold in ${name}`}. Contact your admin to see how you can get this feature.
    </MessagePage>
  )
}

/** The text and its flags are the specification's (2 §2). */
function NotAdministrator() {
  const { isPowerAdmin, isPowerUser, parent } = useUser()
  return (
    <MessagePage title="Sorry, you are not authorized to access this page!" icon={<IconLock size={26} />}>
      <DefinitionList
        items={[
          { term: 'Power Admin', value: isPowerAdmin ? 'Yes' : 'No' },
          { term: 'Power User', value: isPowerUser ? 'Yes' : 'No' },
          { term: 'Parent Account', value: parent === null ? 'None' : String(parent) },
        ]}
      />
    </MessagePage>
  )
}
