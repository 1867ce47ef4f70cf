import "../style/tokens.css";
import "../style/base.css";
import { start } from "../host/start";
import Ledger from "./Ledger.svelte";

void start("ledger", Ledger);
