(** * Theorem 6, repaired: the recoding is chosen from a sample of its own *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith.
From Crowdproof Require Import Definitions Binomial Expectation Amplification.
Import ListNotations.
Open Scope R_scope.

Section Recoding.
Variables Row Cell : Type.
Variable eqb : Cell -> Cell -> bool.
Notation E := (E Row).
Notation anonymize := (anonymize Row Cell eqb).

(** A choice that is x1-safe on data is x1-safe on samples of them. *)
Lemma safe_on_samples x1 b (w : list Row -> (Row -> Cell) -> R) : 0 <= b <= 1 -> 1 <= x1 -> (forall T g, 0 <= w T g) ->
  safe Row Cell x1 w -> safe Row Cell x1 (fun D g => E b D (fun T => w T g)).
Proof. intros Hb Hx Hw H D D' [l [t [l' [-> ->]]]] g. rewrite E_insert. set (X := E b (l ++ l') (fun T => w T g)). set (Y := E b l (fun s => E b l' (fun s' => w (s ++ t :: s') g))).
 assert (HX : X = E b l (fun s => E b l' (fun s' => w (s ++ s') g))) by (unfold X; apply E_app).
 assert (NB : forall s s', neighbours Row (s ++ t :: s') (s ++ s')) by (intros s s'; exists s, t, s'; split; reflexivity).
 assert (A1 : Y <= x1 * X). { rewrite HX. unfold Y. rewrite <- E_scal. apply E_le. exact Hb. intro s. rewrite <- E_scal. apply E_le. exact Hb. intro s'. apply (H _ _ (NB s s') g). }
 assert (A2 : X <= x1 * Y). { rewrite HX. unfold Y. rewrite <- E_scal. apply E_le. exact Hb. intro s. rewrite <- E_scal. apply E_le. exact Hb. intro s'. apply (H _ _ (NB s s') g). }
 assert (X0 : 0 <= X) by (apply E_nn; [exact Hb | intro; apply Hw]).
 assert (1 * X <= x1 * X) by (apply Rmult_le_compat_r; lra).
 split.
 - assert (b * Y <= b * (x1 * X)) by (apply Rmult_le_compat_l; lra). assert ((1 - b) * X <= (1 - b) * (x1 * X)) by (apply Rmult_le_compat_l; lra). lra.
 - assert (b * X <= b * (x1 * Y)) by (apply Rmult_le_compat_l; lra). assert ((1 - b) * X <= (1 - b) * (x1 * X)) by (apply Rmult_le_compat_l; lra). lra. Qed.

Theorem independent_choice b1 b x1 y delta k (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) :
  0 <= b1 <= 1 -> 0 < b < 1 -> 0 <= y -> 1 <= x1 -> 0 <= delta -> choice Row Cell G w -> safe Row Cell x1 w ->
  (forall g O, private Row b y delta (anonymize g k O)) ->
  forall O D D', neighbours Row D D' ->
  two_samples Row Cell eqb G w k b1 b O D <= x1 * y * two_samples Row Cell eqb G w k b1 b O D' + delta /\
  two_samples Row Cell eqb G w k b1 b O D' <= x1 * y * two_samples Row Cell eqb G w k b1 b O D + delta.
Proof. intros Hb1 Hb Hy Hx1 Hd [Hw Hsum] Hs HP O D D' HD.
 assert (HS := safe_on_samples x1 b1 w Hb1 Hx1 Hw Hs). set (v := fun D g => E b1 D (fun T => w T g)) in HS.
 assert (V0 : forall F g, 0 <= v F g) by (intros; apply E_nn; [exact Hb1 | intro; apply Hw]).
 assert (V1 : forall F, sum_over (v F) G = 1). { intro F. unfold v. rewrite <- (E_sum_over Row b1 F (fun T g => w T g)). rewrite (E_ext Row b1 F _ (fun _ => 1)) by (intro; apply Hsum). apply E_const. }
 assert (NN : forall F g, 0 <= E b F (anonymize g k (O g))). { intros F g. apply E_nn. lra. intro s. unfold Definitions.anonymize, one. destruct (O g _); lra. }
 assert (K : forall F F', (forall g, v F g <= x1 * v F' g) -> (forall g, E b F (anonymize g k (O g)) <= y * E b F' (anonymize g k (O g)) + delta) ->
   two_samples Row Cell eqb G w k b1 b O F <= x1 * y * two_samples Row Cell eqb G w k b1 b O F' + delta).
 { intros F F' H1 H2. unfold two_samples. fold (v F) (v F').
   apply Rle_trans with (sum_over (fun g => x1 * y * (v F' g * E b F' (anonymize g k (O g))) + delta * v F g) G).
   - apply sum_over_le. intro g. change (E b1 F (fun S => w S g)) with (v F g).
     assert (Q1 : v F g * E b F (anonymize g k (O g)) <= v F g * (y * E b F' (anonymize g k (O g)) + delta)) by (apply Rmult_le_compat_l; [apply V0 | apply H2]).
     assert (Q2 : v F g * (y * E b F' (anonymize g k (O g))) <= x1 * v F' g * (y * E b F' (anonymize g k (O g)))) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; [lra | apply NN] | apply H1]). lra.
   - rewrite sum_over_lin, V1. unfold v. lra. }
 split; apply K; intro g0; try (apply (HS D D' HD)); apply (HP g0 (O g0) D D' HD). Qed.

End Recoding.
