import { type RemoteAccess, remoteAccessApi } from '@portico/contract/remote-access'
import { Code, Stack, Tabs } from '@mantine/core'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { useMayCall } from '#lib/session/may-call.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { authenticationOf, publicColumnsOf } from './access-form.ts'
import { Snippet } from './snippet.tsx'
import { Tester } from './tester.tsx'
import { Usage } from './usage.tsx'

/** The expanded row of a remote access: its settings, its usage, a tester and the code that uses it. */
export function AccessDetails({ access }: { access: RemoteAccess }) {
  const canTry = useMayCall(remoteAccessApi.tryRemoteAccess)
  const { _id: id, creator, expiresAt, lastUsedAt, type, domainOrIp } = access
  const names = publicColumnsOf(access)
  return (
    <Stack gap="md">
      <DefinitionList
        items={[
          { term: 'Id', value: <Code>{id}</Code> },
          { term: 'Created By', value: creator },
          { term: 'Expires', value: expiresAt === null ? 'never' : formatDate(expiresAt) },
          { term: 'Last Used', value: lastUsedAt === null ? 'never' : formatDate(lastUsedAt) },
          {
            term: `Public Columns (${formatNumber(names.length)})`,
            value: <NameList names={names} />,
            isWide: true,
            key: 'publicColumns',
          },
        ]}
      />
      <Tabs defaultValue="usage" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          {canTry && <Tabs.Tab value="trial">Try it</Tabs.Tab>}
          <Tabs.Tab value="code">{type === 'domain' ? 'Add it to your page' : 'Call it from your program'}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="usage">
          <Usage id={id} />
        </Tabs.Panel>
        {canTry && (
          <Tabs.Panel value="trial">
            <Tester type={type} domainOrIp={domainOrIp} columns={authenticationOf(access)} id={id} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="code">
          <Snippet access={access} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
