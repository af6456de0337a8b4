import type { RemoteAccess } from '@portico/contract/remote-access'
import { Button, Code, CopyButton, Group, Text } from '@mantine/core'
import IconCopy from '#icons/IconCopy'
import { authenticationOf, publicColumnsOf } from './access-form.ts'
import { pageSnippet, programSnippet, visitorHint } from './page-snippet.ts'
import css from './remote-access.module.css'

/** The code that uses an access, for copying: for a page, or for a program. */
export function Snippet({ access }: { access: RemoteAccess }) {
  const { type, accountId } = access
  const place = { origin: window.location.origin, account: accountId, columns: authenticationOf(access) }
  const isPage = type === 'domain'
  const code = isPage ? pageSnippet(place, publicColumnsOf(access)) : programSnippet(place)
  return (
    <div className={css['reply']}>
      <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-end">
        <Text size="sm" c="dimmed">
          {isPage ? visitorHint(place.columns) : 'Put a value after each equals sign.'}
        </Text>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="compact-sm"
              miw="max-content"
              leftSection={<IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <section aria-label="Code">
        <Code block>{code}</Code>
      </section>
    </div>
  )
}
