/** The components of GULF and of A2UI's basic catalog, and what renders each. */
import type { ComponentType } from "react";
import type { PartProps } from "../host";
import { Button } from "./Button";
import { CheckBox } from "./CheckBox";
import { ChoicePicker, MultipleChoice } from "./Choice";
import { Card, Column, Divider, List, Row } from "./containers";
import { DateTimeInput } from "./DateTimeInput";
import { Icon } from "./Icon";
import { Modal } from "./Modal";
import { AudioPlayer, Image, Video } from "./media";
import { Slider } from "./Slider";
import { Tabs } from "./Tabs";
import { Heading, Text } from "./Text";
import { TextField } from "./TextField";

export const parts: Readonly<Record<string, ComponentType<PartProps> | undefined>> = {
  AudioPlayer,
  Button,
  Card,
  CheckBox,
  ChoicePicker,
  Column,
  DateTimeInput,
  Divider,
  Heading,
  Icon,
  Image,
  List,
  Modal,
  MultipleChoice,
  Row,
  Slider,
  Tabs,
  Text,
  TextField,
  Video,
};
