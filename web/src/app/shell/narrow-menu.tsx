import { Divider, UnstyledButton } from '@mantine/core'
import IconHelp from '#icons/IconHelp'
import { useDeployment } from '#lib/deployment.ts'
import { AccountPicker } from './account-picker.tsx'
import { useColorSchemeSwitch } from './color-scheme-button.tsx'
import { SideMenu } from './side-menu.tsx'
import css from './side-menu.module.css'

/** What the bar and the side menu offer, for small screens. */
export function NarrowMenu() {
  const { helpUrl } = useDeployment()
  const { label, Icon, change } = useColorSchemeSwitch()
  return (
    <>
      <AccountPicker />
      <SideMenu />
      <Divider my={4} />
      <div className={css['menu']}>
        <UnstyledButton className={css['entry'] ?? ''} onClick={change}>
          <Icon size={19} stroke={1.6} aria-hidden />
          {label}
        </UnstyledButton>
        {helpUrl && (
          <a className={css['entry']} href={helpUrl} target="_blank" rel="noreferrer">
            <IconHelp size={19} stroke={1.6} aria-hidden />
            Help
          </a>
        )}
      </div>
    </>
  )
}
