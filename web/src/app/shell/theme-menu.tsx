import {
  ActionIcon,
  type MantineColorScheme,
  Popover,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconCheck from '#icons/IconCheck'
import IconDeviceDesktop from '#icons/IconDeviceDesktop'
import IconMoon from '#icons/IconMoon'
import IconSun from '#icons/IconSun'
import css from './bar-menu.module.css'

export const themes = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'System', Icon: IconDeviceDesktop },
] as const satisfies { value: MantineColorScheme; label: string; Icon: unknown }[]

/** Light, dark, or whatever the system shows. */
export function ThemeMenu({ className }: { className: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [isOpen, { close, toggle }] = useDisclosure()
  const current = themes.find(({ value }) => value === colorScheme) ?? themes[2]
  const label = `Theme: ${current.label.toLowerCase()}`
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" width={170} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={isOpen}>
          <ActionIcon size={32} aria-label={label} classNames={{ root: className }} onClick={toggle}>
            <current.Icon size={19} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={4} aria-label="Theme">
        {themes.map(({ value, label: name, Icon }) => (
          <UnstyledButton
            key={value}
            className={css['entry'] ?? ''}
            aria-pressed={value === colorScheme}
            onClick={() => {
              setColorScheme(value)
              close()
            }}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            {name}
            {value === colorScheme && <IconCheck size={16} className={css['check']} aria-hidden />}
          </UnstyledButton>
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}
