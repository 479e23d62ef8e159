//! What a key can ask for. The names are stable: configuration files bind keys to them.

/// Makes the enum, its list and its names from one list.
macro_rules! actions {
    ($($variant:ident $name:literal $doc:literal)*) => {
        /// Something a person can ask for with a key, in the palette or with the mouse.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $doc] $variant,)*
        }

        impl Action {
            /// All actions, in the order of the table of keys.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)*];

            /// The stable name, as configuration files have it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Action::$variant => $name,)*
                }
            }
        }
    };
}

actions! {
    Back "back" "Close, or go back."
    Interrupt "interrupt" "Ask to leave; again: save and stop."
    Suspend "suspend" "Give the terminal back to the shell for a while."
    Redraw "redraw" "Draw everything anew."
    HelpOpen "help_open" "Show the keys that work here."
    PaletteOpen "palette_open" "Choose from all commands."
    AttentionNext "attention_next" "Go to the next thing that needs the person."
    SearchOpen "search_open" "Search everything."
    BrowserOpen "browser_open" "Show all runs."
    MemoryOpen "memory_open" "Show the memories."
    StatsOpen "stats_open" "Show the statistics."
    SettingsOpen "settings_open" "Show the settings."
    BannerOpen "banner_open" "Act on the top banner."
    Copy "copy" "Copy the selection."
    FocusNext "focus_next" "Go to the next panel or part."
    FocusPrev "focus_prev" "Go to the previous panel or part."
    ZoomToggle "zoom_toggle" "Show the panel alone, or all again."
    QuitAsk "quit_ask" "Leave, after saying what goes on."
    LineDown "line_down" "One line down."
    LineUp "line_up" "One line up."
    PageDown "page_down" "One page down."
    PageUp "page_up" "One page up."
    PageOn "page_on" "One page down, in a dialog that is read."
    Top "top" "To the start."
    Bottom "bottom" "To the end, and follow."
    Left "left" "Fold, or step before."
    Right "right" "Unfold, or step after."
    Open "open" "Open or choose what is selected."
    PanelFocus "panel_focus" "Go to the panel whose key it is; the place of the key counts."
    Review "review" "Review the selected or oldest waiting call."
    Deny "deny" "Deny a call, with a reason."
    EditArgs "edit_args" "Edit a call's arguments."
    PauseToggle "pause_toggle" "Pause after this call, or go on."
    PauseNow "pause_now" "Pause now."
    TimeoutExtend "timeout_extend" "Give the running call more time."
    Message "message" "Write to the agent."
    MessageBack "message_back" "Take the queued message back, to edit it."
    MessageNow "message_now" "Deliver the queued message at once."
    GoalEdit "goal_edit" "Edit the pinned goal."
    PlanEdit "plan_edit" "Edit the plan."
    RollbackPreview "rollback_preview" "Show what a rollback would do."
    RollbackRedo "rollback_redo" "Undo the last rollback."
    ForkRun "fork_run" "Make a new run from a checkpoint."
    ReplayOpen "replay_open" "Look back step by step."
    RequestShow "request_show" "Show the exact request."
    LimitsEdit "limits_edit" "Change the limits."
    RunNew "run_new" "Start a new run."
    RunPrev "run_prev" "Go to the previous run."
    RunNext "run_next" "Go to the next run."
    RunCancel "run_cancel" "Cancel the run."
    FollowToggle "follow_toggle" "Follow the newest, or stay."
    WrapToggle "wrap_toggle" "Wrap or cut tool output."
    FoldAll "fold_all" "Fold or unfold everything."
    ThinkingToggle "thinking_toggle" "Show or hide the model's thinking."
    Mark "mark" "Mark a call for a batch."
    ReviewMarked "review_marked" "Review the marked calls together."
    QueueScope "queue_scope" "This run's calls, or those of all runs."
    Compare "compare" "Compare with the present, or show what a step changed."
    ApproveOnce "approve_once" "Approve this call, once."
    EffectReuse "effect_reuse" "Reuse the result recorded on another timeline."
    RuleAlways "rule_always" "Propose a rule that allows such calls."
    AskNext "ask_next" "Go to the next waiting call."
    EffectHappened "effect_happened" "Say that it happened."
    EffectRerun "effect_rerun" "Say that it did not happen, and run it."
    EffectSkip "effect_skip" "Leave it open and go on."
    RollbackDo "rollback_do" "Roll back as shown."
    RollbackNoFiles "rollback_no_files" "Roll back the conversation alone."
    FileChoice "file_choice" "Keep or take this file."
    FileDiff "file_diff" "Show how the file differs."
    GoalChoice "goal_choice" "Take the goal back too, or leave it."
    OptionPick "option_pick" "Mark the option whose key it is; the place of the key counts."
    OptionOwn "option_own" "Answer in own words."
    QuitStop "quit_stop" "Save and stop at the next checkpoint."
    QuitHandOver "quit_hand_over" "Hand the runs to a worker."
    Connect "connect" "Connect a model server."
    TextSubmit "text_submit" "Send the text; in an editor, a new line."
    TextNewline "text_newline" "Begin a new line."
    TextSave "text_save" "Save the editor or form."
    TextUndo "text_undo" "Undo the last edit."
    TextRedo "text_redo" "Redo the edit."
    TextExternal "text_external" "Edit in the external editor."
    CaretOrChoice "caret_or_choice" "Move the caret, or change a choice: the first key back, the second forth."
    TextLineStart "text_line_start" "To the begin of the line."
    TextLineEnd "text_line_end" "To the end of the line."
    TextWordBack "text_word_back" "To the word before."
    TextWordOn "text_word_on" "To the end of the word after."
    TextCutWord "text_cut_word" "Delete the word before."
    TextCutBefore "text_cut_before" "Delete to the begin of the line."
    TextCutAfter "text_cut_after" "Delete to the end of the line."
    TextHelp "text_help" "Show the keys of the text field."
    TextEarlier "text_earlier" "Bring back an earlier entry."
    PickMove "pick_move" "Move the choice: the first key up, the second down."
    FileMove "file_move" "Move the choice among files: the first key up, the second down."
    FileTake "file_take" "Put the marked file into the text."
    FieldNext "field_next" "Go to the next field."
    FieldPrev "field_prev" "Go to the previous field."
    FilterEdit "filter_edit" "Filter the list."
    FiltersClear "filters_clear" "Show everything."
    SortNext "sort_next" "Sort by the next column."
    RunExport "run_export" "Export the run."
    RunDelete "run_delete" "Delete the run."
    PlayToggle "play_toggle" "Play the steps, or stop."
    MemoryEdit "memory_edit" "Edit the memory."
    MemoryPin "memory_pin" "Pin the memory, or unpin it."
    MemoryNew "memory_new" "Add a memory."
    MemoryChoose "memory_choose" "Settle a conflict of memories."
    MemoryDelete "memory_delete" "Delete the memory."
    LimitsSuggest "limits_suggest" "Use the suggested limits."
}

impl Action {
    /// The action of a name.
    pub fn named(name: &str) -> Option<Action> {
        Action::ALL.iter().copied().find(|action| action.name() == name)
    }

    /// True if it has several keys and the place of the pressed one says what is meant.
    pub fn is_ordered(self) -> bool {
        matches!(
            self,
            Action::PanelFocus
                | Action::OptionPick
                | Action::CaretOrChoice
                | Action::PickMove
                | Action::FileMove
        )
    }
}
